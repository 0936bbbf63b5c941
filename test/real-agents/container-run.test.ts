import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parseOutputs, responseOf, resultsOf } from "../../src/contract/outputs/outputs.ts";
import { decodeDigest } from "../../src/contract/outputs/outputs-digest.ts";
import { finished, root } from "../support/cox.ts";
import { type Api, startModelServer } from "./model-server.ts";
import { overhear } from "./overhear.ts";
import { type PodSubject, podSubjects } from "./pod-subjects.ts";
import { Stage } from "./stage.ts";

const servers = new Map<Api, Awaited<ReturnType<typeof startModelServer>>>();
beforeAll(async () => {
  for (const api of ["anthropic", "openai", "gemini"] as const) servers.set(api, await startModelServer(api));
});
afterAll(() => {
  for (const server of servers.values()) server.stop();
});

describe.each(podSubjects)("$type in its container", (subject) => {
  test("is told everything, and reports everything", async () => {
    const it = await container(subject);
    it.plugin("demo", { review: "how to review" }, { assistant: "helps a lot" });
    const { code, stdout, stderr } = await it.run("--help is what I need", {
      KELOS_MODEL: subject.model,
      KELOS_EFFORT: "high",
      KELOS_AGENTS_MD: "Always say AHOY.",
    });
    expect(code, stderr).toBe(0);
    const asked = it.asked();
    expect(asked).toContain("--help is what I need");
    expect(asked).toContain("Always say AHOY.");
    expect(asked).toContain("how to review");
    expect(asked).toContain("helps a lot");
    expect(asked).toMatch(subject.effort);
    const lines = parseOutputs(stdout);
    const results = resultsOf(lines);
    expect(results).toMatchObject({ "input-tokens": subject.tokens[0], "output-tokens": subject.tokens[1] });
    expect(Number(results["cost-usd"])).toBeGreaterThan(0);
    expect(responseOf(results)).toContain("--help is what I need");
    expect(decodeDigest(it.terminationMessage())?.outputs).toEqual(lines);
  });

  test("calls a tool of an MCP server, whose secret reaches the server and nothing else", async () => {
    const it = await container(subject);
    const secret = it.write("mcp/0/env/TOKEN", "canary-secret\n");
    const { code, stdout, stderr } = await it.run(`@call ${subject.ping} {"who":"bob"}`, {
      KELOS_MODEL: subject.model,
      KELOS_MCP_SERVERS: it.mcpServers(`\${file:${secret}}`),
    });
    expect(code, stderr).toBe(0);
    expect(it.asked()).toContain("pong bob");
    expect(readFileSync(it.mcpLog, "utf8")).toBe("canary-secret");
    expect(stdout + stderr + it.asked()).not.toContain("canary-secret");
  });

  test("a second Task in the same container hears nothing of the first", async () => {
    const it = await container(subject);
    it.plugin("first", { old: "an old skill" });
    // Without a model: what the agent then takes has its price all the same.
    const { stdout } = await it.run("hello", { KELOS_AGENTS_MD: "Say AHOY." });
    expect(Number(resultsOf(parseOutputs(stdout))["cost-usd"])).toBeGreaterThan(0);
    it.forget();
    it.plugin("second", { fresh: "a fresh skill" });
    for (const prompt of ["hello", "hello again"]) {
      it.clear();
      const { code } = await it.run(prompt, { KELOS_AGENTS_MD: "Say GOOD DAY.", KELOS_MODEL: subject.model });
      expect(code).toBe(0);
      const asked = it.asked();
      expect(asked).toContain("a fresh skill");
      expect(asked).not.toContain("an old skill");
      expect(asked).not.toContain("AHOY");
      // One of its requests may be for a title alone; none says it twice.
      const times = it.bodies().map((body) => body.split("Say GOOD DAY.").length - 1);
      expect(Math.max(...times)).toBe(1);
    }
  });

  test("uses its tools without asking, and a prompt of 300 KB arrives whole", async () => {
    const it = await container(subject);
    const prompt = `@bash touch made.txt\n${"padding ".repeat(40_000)}THE END`;
    const file = it.write("prompt.txt", prompt);
    const { code, stderr } = await it.run("the prompt is in a file", {
      KELOS_MODEL: subject.model,
      KELOS_PROMPT_FILE: file,
    });
    expect(code, stderr).toBe(0);
    expect(it.asked()).toContain("padding THE END");
    expect(readFileSync(join(it.stage.workspace, "made.txt"), "utf8")).toBe("");
  });

  test("fails with the agent's code, and says why", async () => {
    const it = await container(subject, "bad-key");
    const { code, stdout } = await it.run("hello", { KELOS_MODEL: subject.model, KELOS_BASE_BRANCH: "main" });
    expect(code).toBeGreaterThan(0);
    expect(parseOutputs(stdout)).toContain("base-branch: main");
    expect(decodeDigest(it.terminationMessage())?.failure).toMatch(/key|401|auth/i);
  });

  test("asked to stop, it ends within its grace and still reports", async () => {
    const it = await container(subject);
    const child = it.start("@slow", { KELOS_MODEL: subject.model, KELOS_BASE_BRANCH: "main", COX_GRACE_SECONDS: "5" });
    const done = finished(child);
    await it.firstAsked;
    child.kill("SIGTERM");
    const { code, stdout } = await done;
    expect(code).toBeGreaterThan(0);
    expect(parseOutputs(stdout)).toContain("base-branch: main");
    expect(decodeDigest(it.terminationMessage())?.failure).toContain("asked to stop");
  });
});

async function container(subject: PodSubject, key = "good-key") {
  const stage = new Stage(`pod-${subject.type}`, onTestFinished);
  // Settings that an image brings along: they hold where the Task says nothing.
  stage.write(".codex/config.toml", `model = "${subject.model}"\n`);
  const ear = await overhear(servers.get(subject.api)?.url ?? "");
  onTestFinished(ear.stop);
  const plugins = join(stage.coxHome, "plugins");
  const terminationLog = join(stage.coxHome, "termination-log");
  const mcpLog = join(stage.coxHome, "mcp-log");
  writeFileSync(terminationLog, "");
  const write = (path: string, content: string) => {
    const file = join(stage.coxHome, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  };
  const server = write(
    "mcp.sh",
    `printf '%s' "$TOKEN" > ${mcpLog}\nexec ${process.execPath} ${join(root, "test/fakes/mcp-stdio.mjs")}\n`,
  );
  const start = (prompt: string, env: Record<string, string>): ChildProcess =>
    spawn(process.execPath, [join(root, "bin/cox"), "container-run", prompt], {
      cwd: stage.workspace,
      env: {
        ...stage.env,
        ...subject.connection(ear.url, key),
        KELOS_AGENT_TYPE: subject.type,
        KELOS_PLUGIN_DIR: plugins,
        COX_TERMINATION_LOG: terminationLog,
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
  return {
    stage,
    mcpLog,
    ...ear,
    write,
    start,
    run: (prompt: string, env: Record<string, string> = {}) => finished(start(prompt, env)),
    terminationMessage: () => readFileSync(terminationLog, "utf8"),
    mcpServers: (token: string) =>
      JSON.stringify({ mcpServers: { fake: { command: "/bin/sh", args: [server], env: { TOKEN: token } } } }),
    plugin(name: string, skills: Record<string, string>, agents: Record<string, string> = {}) {
      for (const [skill, text] of Object.entries(skills)) {
        write(`plugins/${name}/skills/${skill}/SKILL.md`, `---\nname: ${skill}\ndescription: ${text}\n---\nDo it.\n`);
      }
      for (const [agent, text] of Object.entries(agents)) {
        write(`plugins/${name}/agents/${agent}.md`, `---\nname: ${agent}\ndescription: ${text}\n---\nYou help.\n`);
      }
    },
    /** The next Task has other plugins. */
    forget: () => rmSync(plugins, { recursive: true }),
  };
}
