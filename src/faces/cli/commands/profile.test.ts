import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { messageOf } from "../../../contract/errors.ts";
import { runCommand } from "../../../lib/command/command.ts";
import { TestMachine } from "../testing/test-agent.ts";
import { testContext } from "../testing/test-context.ts";
import profile from "./profile.ts";

let machine: TestMachine;
beforeEach(() => {
  machine = new TestMachine();
});
afterEach(() => machine.remove());

async function cox(args: string[], stdin?: string) {
  const context = testContext({ env: machine.env, stdin });
  const code = await runCommand(profile, args, context);
  return { code, out: context.out(), err: context.err() };
}
const refusal = async (args: string[], stdin?: string) =>
  messageOf(await cox(args, stdin).catch((error: unknown) => error));
const file = (name: string) => join(machine.cox, "profiles", `${name}.yaml`);
const text = (name: string) => readFileSync(file(name), "utf8");

describe("set", () => {
  test("keeps what it is given, key by key", async () => {
    const { err } = await cox([
      "set",
      "work",
      "--agent",
      "Claude",
      "--model",
      "opus",
      "--base-url",
      "https://g.example",
    ]);
    expect(err).toBe("kept profile work; use it with: cox run --profile work …\n");
    await cox(["set", "work", "--env", "A=1=2", "--env", "B=", "--permissions", "deny", "--home", "private"]);
    await cox(["set", "work", "--env", "B=x", "--switch", "auto_approve=on", "--unset", "model"]);
    expect(text("work")).toBe(
      "agent: claude\nbase_url: https://g.example\npermissions: deny\nhome: private\nenv:\n  A: 1=2\n  B: x\nswitches:\n  auto_approve: true\n",
    );
  });

  test("says what else is needed to use it", async () => {
    const opencode = ["set", "oc", "--agent", "opencode"];
    const use = "kept profile oc; use it with: cox run --profile oc";
    expect((await cox(opencode)).err).toBe(`${use} …\n`);
    expect((await cox([...opencode, "--base-url", "http://g.example"])).err).toBe(`${use} --model MODEL …\n`);
    expect((await cox([...opencode, "--model", "m"])).err).toBe(`${use} …\n`);
  });

  test("reads a token from stdin into a file for the person alone", async () => {
    const { out, err } = await cox(["set", "grok", "--agent", "xai", "--token", "-"], "xai-secret-1\n");
    expect(text("grok")).toBe("agent: xai\ntoken: xai-secret-1\n");
    expect(statSync(file("grok")).mode & 0o777).toBe(0o600);
    expect(out + err).not.toContain("xai-secret-1");
  });

  test("keeps where a token is to be found", async () => {
    await cox(["set", "a", "--agent", "xai", "--token", "env:MY_KEY"]);
    await cox(["set", "b", "--agent", "xai", "--token", "file:~/key"]);
    expect(text("a") + text("b")).toBe("agent: xai\ntoken: env:MY_KEY\nagent: xai\ntoken: file:~/key\n");
  });

  const wrong: Record<string, [args: string[], message: RegExp, stdin?: string]> = {
    "a token in the open": [["--agent", "xai", "--token", "xai-secret-1"], /a command line is no place for a secret/],
    "no token on stdin": [["--agent", "xai", "--token", "-"], /nothing came on stdin/, " \n"],
    "a new one without an agent": [["--model", "opus"], /is new; say which agent it is for with --agent/],
    "an agent nobody knows": [["--agent", "clod"], /agent "clod": unknown/],
    "a switch it doesn't have": [
      ["--agent", "claude", "--switch", "yolo=on"],
      /has no such switch; it has auto_approve/,
    ],
    "a switch neither on nor off": [["--agent", "claude", "--switch", "auto_approve=yes"], /use auto_approve=on or/],
    "a home that is neither": [["--agent", "claude", "--home", "x"], /home "x": unknown; valid: own, private/],
    "a mode nobody knows": [["--agent", "claude", "--permissions", "yes"], /permissions/],
    "a variable without a value": [["--agent", "claude", "--env", "A"], /--env "A": use NAME=VALUE/],
    "a key nobody knows": [["--agent", "claude", "--unset", "modle"], /--unset modle: unknown; choose of agent, model/],
    "a token where no variable takes it": [["--agent", "goose", "--token", "env:X"], /which variable takes its token/],
  };
  test.each(Object.entries(wrong))("refuses %s, and keeps nothing", async (_, [args, message, stdin]) => {
    const why = await refusal(["set", "work", ...args], stdin);
    expect(why).toMatch(message);
    expect(why).not.toContain("xai-secret-1");
    expect(() => statSync(file("work"))).toThrow("ENOENT");
  });
});

describe("show", () => {
  test("hides what is secret and shows where it comes from", async () => {
    machine.profile(
      "work",
      'agent: claude\ntoken: sk-stored\nenv: { A: hush }\nmcp_servers:\n  gh: { command: npx, env: { T: env:GH, U: plain-secret } }\n  web: { url: "https://m.example/mcp?key=q-secret", headers: { Authorization: Bearer env:WEB } }\n',
    );
    const { out } = await cox(["show", "work"]);
    const json = (await cox(["show", "work", "--json"])).out;
    for (const shown of [out, json]) {
      expect(shown).toContain("env:GH");
      expect(shown).toContain("Bearer env:WEB");
      expect(shown).not.toMatch(/sk-stored|hush|plain-secret|q-secret/);
    }
    expect(JSON.parse(json)).toMatchObject({ agent: "claude", token: "(hidden)", env: { A: "(hidden)" } });
  });
});

describe("ls", () => {
  test("saved ones, and the one every installed agent has", async () => {
    machine.program("codex");
    machine.file(join(machine.home, ".codex/auth.json"), "{}");
    machine.profile("work", "agent: claude\nmodel: opus\n");
    const { out, code } = await cox([]);
    expect(code).toBe(0);
    expect(out).toMatch(/^work +claude +opus +saved$/m);
    expect(out).toMatch(/^codex +codex +its own choice +default$/m);
    expect(out).toMatch(/^demo +demo +demo-fast +default$/m);
    expect(out).not.toMatch(/^gemini/m);
  });

  test("a broken one is told, and the others are listed", async () => {
    machine.profile("bad", "agent: claude\nmodle: x\n");
    machine.profile("good", "agent: claude\n");
    const { out, err, code } = await cox(["ls", "--json"]);
    expect(code).toBe(1);
    expect(err).toMatch(/^cox: warning: profiles\/bad\.yaml: line 2: unknown key "modle"/);
    expect(out.split("\n").map((line) => line && JSON.parse(line).name)).toContain("good");
  });
});

test("rm", async () => {
  machine.profile("work", "agent: claude\n");
  expect((await cox(["rm", "work"])).code).toBe(0);
  expect(await refusal(["rm", "work"])).toBe("profile work: not found");
  expect(await refusal(["show", "work"])).toMatch(/^profile work: not found; there are none yet/);
});
