import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "../../core/config/config-file.ts";
import { checkDisk, checkNode, checkPlatform } from "../../faces/cli/checks.ts";
import config from "../../faces/cli/commands/config.ts";
import doctor from "../../faces/cli/commands/doctor.ts";
import profile from "../../faces/cli/commands/profile.ts";
import version from "../../faces/cli/commands/version.ts";
import { testContext } from "../../faces/cli/testing/test-context.ts";
import { TestHome } from "../../faces/cli/testing/test-home.ts";
import { VERSION } from "../../lib/base/version.ts";
import { type CommandSpec, helpOf, runCommand } from "../../lib/command/command.ts";
import { loadVerb } from "../../lib/command/group.ts";
import agent from "./agent.ts";
import { helpPage } from "./help.ts";
import { type CommandName, commands } from "./index.ts";

let home: TestHome;
beforeEach(() => {
  home = new TestHome();
});
afterEach(() => home.remove());

async function coxWith(env: NodeJS.ProcessEnv, spec: CommandSpec, ...args: string[]) {
  const context = testContext({ env: { ...home.env, ...env } });
  const code = await runCommand(spec, args, context);
  return { code, out: context.out(), err: context.err() };
}
const cox = (spec: CommandSpec, ...args: string[]) => coxWith({}, spec, ...args);

describe("config", () => {
  const file = () => join(home.root, "config.yaml");

  test("set and get, and run's own view of it", async () => {
    await cox(config, "set", "agent", "claude");
    await cox(config, "set", "timeout", "90");
    await cox(config, "set", "view.thinking", "hide");
    expect((await cox(config, "get", "agent")).out).toBe("claude\n");
    expect(await readConfig(home.root)).toEqual({ agent: "claude", timeout: 90, "view.thinking": "hide" });
    expect(readFileSync(file(), "utf8")).toBe("agent: claude\ntimeout: 90\nview:\n  thinking: hide\n");
  });

  test("comments and order stay", async () => {
    const text = "# mine\ntimeout: 60 # a minute\n\nagent: demo\n";
    writeFileSync(file(), text);
    await cox(config, "set", "agent", "codex");
    expect(readFileSync(file(), "utf8")).toBe(text.replace("demo", "codex"));
    await cox(config, "unset", "agent");
    expect(readFileSync(file(), "utf8")).toContain("timeout: 60 # a minute");
    expect(await readConfig(home.root)).toEqual({ timeout: 60 });
  });

  test("a key that isn't set prints nothing and fails; all keys are listed", async () => {
    expect(await cox(config, "get", "agent")).toMatchObject({ code: 1, out: "" });
    const { out } = await cox(config);
    for (const key of ["agent", "project", "permissions", "timeout", "idle_timeout", "view.thinking", "color"]) {
      expect(out).toMatch(new RegExp(`^${key.replace(".", "\\.")} +- `, "m"));
    }
  });

  test("path", async () => {
    expect((await cox(config, "path")).out).toBe(`${file()}\n`);
  });

  test("no file, an empty one and one of comments set nothing", async () => {
    expect(await readConfig(join(home.root, "nowhere"))).toEqual({});
    for (const text of ["", "# nothing\n"]) {
      writeFileSync(file(), text);
      expect(await readConfig(home.root)).toEqual({});
    }
  });

  test.each([
    ["agent: demo\nodd: 1\n", "line 2: unknown key odd; valid keys are agent, project, "],
    ["view:\n  odd: 1\n", "line 2: unknown key view.odd; valid keys are"],
    ["permissions: maybe\n", 'line 1: permissions: "maybe" is not one of ask, allow, deny'],
    ["\n\ntimeout: soon\n", 'line 3: timeout: "soon" is not a number of seconds above 0'],
    ["timeout: -1\n", "line 1: timeout: -1 is not a number of seconds above 0"],
    ["agent: [a, b]\n", 'line 1: agent: ["a","b"] is not a name'],
    ["agent: ../x\n", 'line 1: agent: "../x" is not a name'],
    ["- a\n- b\n", "line 1: it must be keys with values"],
    ["view: 1\n", "line 1: view must be keys with values"],
    ["agent: demo\nagent: other\n", "line 2: Map keys must be unique"],
    ["agent: 'demo\n", "line 2: Missing closing 'quote"],
  ])("%j is an error that names the place", async (text, message) => {
    writeFileSync(file(), text);
    await expect(readConfig(home.root)).rejects.toMatchObject({ code: "config.invalid" });
    await expect(readConfig(home.root)).rejects.toThrow(`${file()}, ${message}`);
    await expect(cox(config, "set", "agent", "claude")).rejects.toMatchObject({ code: "config.invalid" });
    expect(readFileSync(file(), "utf8")).toBe(text);
  });

  test.each([
    [["set", "odd", "1"], "unknown key odd; valid keys are"],
    [["set", "timeout", "soon"], 'config timeout: "soon" is not a number of seconds'],
    [["set", "agent", "nosuch"], 'agent "nosuch": unknown; known are '],
    [["set", "agent", "cluade"], 'agent "cluade": unknown; did you mean claude? known are '],
    [["set", "agent"], "cox config set: something is missing; usage: cox config set KEY VALUE"],
    [["get", "agent", "x"], "cox config get: too many words; usage: cox config get [KEY]"],
    [["frob"], "cox config: frob: unknown; say get, set, unset, path"],
  ])("%j is refused", async (args, message) => {
    await expect(cox(config, ...args)).rejects.toThrow(message);
  });
});

describe("doctor", () => {
  test.each([
    [checkNode("20.19.0"), "ok"],
    [checkNode("24.1.0"), "ok"],
    [checkNode("20.18.9"), "fail"],
    [checkNode("18.20.0"), "fail"],
    [checkPlatform("linux", "x64"), "ok"],
    [checkPlatform("win32", "x64"), "fail"],
    [checkDisk(5 * 1024 ** 3), "ok"],
    [checkDisk(500 * 1024 ** 2), "warn"],
    [checkDisk(5 * 1024 ** 2), "fail"],
  ])("%j", (check, status) => {
    expect(check.status).toBe(status);
    expect(check.remedy !== undefined).toBe(status !== "ok");
  });

  /** A PATH of our own: what is found does not depend on this machine. */
  function programs(scripts: Record<string, string>): string {
    const folder = join(home.root, "bin");
    mkdirSync(folder);
    for (const [name, script] of Object.entries(scripts)) {
      writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    return folder;
  }

  test("a machine that is fine", async () => {
    const PATH = programs({ git: "echo git version 9", claude: "echo 1.2.3", gh: "exit 3" });
    const { code, out } = await coxWith({ PATH, ANTHROPIC_API_KEY: "k", HOME: home.root }, doctor);
    expect(code).toBe(0);
    for (const line of [
      /^ok {4}state .*is writable$/m,
      /^ok {4}sockets /m,
      /^ok {4}watching /m,
      /^ok {4}hosts {5}no run was lost$/m,
      /^ok {4}git {7}git version 9 \(/m,
      /^ok {4}claude {4}1\.2\.3 \(/m,
      /^ok {4}gh {8}no version \(exit 3\)/m,
      /^- {5}codex {5}not installed$/m,
      /^ok {4}agents {4}claude and demo$/m,
    ]) {
      expect(out).toMatch(line);
    }
  });

  test("an agent without a login says so, as `cox agent ls` does; codex with a provider of its own", async () => {
    mkdirSync(join(home.root, ".codex"));
    const provider = 'model_provider = "a"\n[model_providers.a]\nenv_key = "A_KEY"\n';
    writeFileSync(join(home.root, ".codex/config.toml"), provider);
    const env = { PATH: programs({ codex: "echo 1.2.3" }), HOME: home.root };
    const { out } = await coxWith(env, doctor);
    expect(out).toMatch(/^warn {2}codex {5}1\.2\.3 \(.*\), needs login\n +→ set A_KEY, which /m);
    expect(out).toMatch(/^warn {2}agents +only demo\n +→ log in to codex; until then/m);
    expect((await coxWith(env, agent, "ls")).out).toMatch(/^codex +1\.2\.3, needs login .*set A_KEY, which /m);
    expect((await coxWith(env, profile, "ls")).out).not.toMatch(/^codex /m);
    const ready = { ...env, A_KEY: "k" };
    expect((await coxWith(ready, doctor)).out).toMatch(/^ok {4}codex {5}1\.2\.3 .*\)$/m);
    expect((await coxWith(ready, agent, "ls")).out).toMatch(/^codex +installed 1\.2\.3 /m);
    expect((await coxWith(ready, profile, "ls")).out).toMatch(/^codex /m);
  });

  test("what is missing comes with a remedy; a lost run is ended", async () => {
    const lost = home.addLostRun();
    const { code, out } = await coxWith({ PATH: programs({}) }, doctor);
    expect(code).toBe(0);
    expect(out).toMatch(/^warn {2}git .*\n +→ install git/m);
    expect(out).toMatch(/^warn {2}agents +only demo\n +→ install one of/m);
    expect(out).toMatch(new RegExp(`^warn  hosts .*${lost.id}`, "m"));
  });

  test("a bad config, and a state folder that can't be one, fail", async () => {
    const PATH = programs({});
    writeFileSync(join(home.root, "config.yaml"), "odd: 1\n");
    const bad = await coxWith({ PATH }, doctor, "--json");
    expect(bad.code).toBe(1);
    const checks = bad.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(checks.find(({ name }) => name === "config")).toMatchObject({ status: "fail" });
    const file = await coxWith({ PATH, COX_HOME: join(home.root, "config.yaml") }, doctor);
    expect([file.code, file.out]).toEqual([1, expect.stringMatching(/^fail {2}state /m)]);
  });

  test("a program that hangs does not hang the doctor", { timeout: 15_000 }, async () => {
    const { out } = await coxWith({ PATH: `${programs({ claude: "sleep 60" })}:/usr/bin:/bin` }, doctor);
    expect(out).toMatch(/^\w+ {2,4}claude {4}.*took longer than 5 s/m);
  });
});

describe("version", () => {
  test("plain and as JSON", async () => {
    expect((await cox(version)).out).toBe(`cox ${VERSION}\n`);
    expect(JSON.parse((await cox(version, "--json")).out)).toEqual({
      version: VERSION,
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
    });
  });
});

describe("help", () => {
  const named = (page: string) => [...page.matchAll(/^ {2}([a-z0-9-]+) {2}/gm)].map(([, name]) => name ?? "");

  test("is one screen, by what people want to do", () => {
    const page = helpPage(false);
    const rows = page.trimEnd().split("\n");
    expect(rows.length).toBeGreaterThanOrEqual(24);
    expect(rows.length).toBeLessThanOrEqual(40);
    expect(rows.filter((row) => row.length > 80)).toEqual([]);
    expect(page.match(/^\w.*:$/gm)).toEqual([
      "Run and watch:",
      "Answer:",
      "Tasks and review:",
      "Agents:",
      "Machines and clusters:",
      "This installation:",
    ]);
    expect(page).toContain("cox help all");
  });

  test("all of it has every command, once", () => {
    const shown = (Object.keys(commands) as CommandName[]).filter((name) => !commands[name].hidden);
    expect(named(helpPage(true)).toSorted()).toEqual(shown.toSorted());
    expect(named(helpPage(true))).toEqual(expect.arrayContaining(named(helpPage(false))));
  });

  test.each((Object.keys(commands) as CommandName[]).filter((name) => !commands[name].hidden))(
    "of %s fits a screen",
    async (name) => {
      const spec = (await commands[name].load()).default as unknown as CommandSpec;
      const rows = helpOf(spec)
        .split("\n")
        .reduce((sum, line) => sum + Math.max(Math.ceil(line.length / 100), 1), 0);
      expect(spec.name).toBe(name);
      expect(rows).toBeLessThanOrEqual(40);
    },
  );

  test("of every command and every verb: an example, and no line over 100 columns, in letters that all terminals have", async () => {
    const loaded = Object.values(commands).map(async ({ load }) => (await load()).default as unknown as CommandSpec);
    const tops = await Promise.all(loaded);
    const verbs = await Promise.all(tops.flatMap((spec) => Object.values(spec.verbs ?? {}).map(loadVerb)));
    for (const spec of [...tops, ...verbs]) {
      expect(spec.examples?.length ?? 0, `examples of ${spec.name}`).toBeGreaterThan(0);
      const page = helpOf(spec);
      expect(page.split("\n").filter((line) => line.length > 100)).toEqual([]);
      expect(page).toMatch(/^[\x20-\x7e\n]*$/);
    }
  });

  test("each thing that a command can do has its own", async () => {
    const loaded = Object.values(commands).map(async ({ load }) => (await load()).default as unknown as CommandSpec);
    const groups = (await Promise.all(loaded)).filter(({ verbs }) => verbs !== undefined);
    expect(groups.map(({ name }) => name).toSorted()).toEqual(
      "agent budget bus config hook k8s notify profile queue rules serve setup task token".split(" "),
    );
    for (const { name, verbs = {} } of groups) {
      for (const [word, verb] of Object.entries(verbs)) {
        const spec = await loadVerb(verb);
        expect(spec.name).toBe(`${name} ${word}`);
        expect(spec.usage).toMatch(`cox ${name} ${word}`);
      }
    }
  });
});

test("readers leave no trace in a home that isn't there", async () => {
  rmSync(home.root, { recursive: true });
  expect(await readConfig(home.root)).toEqual({});
});
