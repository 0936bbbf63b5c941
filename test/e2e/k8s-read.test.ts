import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { desk, recorded } from "../support/cluster-desk.ts";
import { finished, scene, until } from "../support/cox.ts";

describe("reading", () => {
  const status = {
    phase: "Failed",
    reason: "AgentFailed",
    message: "the model said no",
    exitCode: 3,
    podName: "fix-pod",
    startTime: "2026-01-01T00:00:00Z",
    completionTime: "2026-01-01T00:00:42Z",
    usage: { inputTokens: 1200, outputTokens: 15, costUSD: "0.5" },
    outputs: ["branch: fix", "bare words", "response: aGVsbG8gbW9vbg=="],
    results: { branch: "fix", response: "aGVsbG8gbW9vbg==" },
    conditions: [
      { type: "OutputsUnavailable", status: "False" as const, reason: "Ok", message: "m", lastTransitionTime: "t" },
    ],
  } as const;

  test("get lists, filters, and prints whole objects", async () => {
    const { cox, cluster } = await desk();
    cluster.addTask(
      "fix",
      { branch: "fix" },
      { ...status, outputs: [...status.outputs], conditions: [...status.conditions] },
    );
    cluster.addTask("new", { type: "codex" });
    const { stdout } = await cox(["get"]);
    expect(stdout).toMatch(/NAME +AGE +TYPE +PHASE +COST +BRANCH +REASON/);
    expect(stdout).toMatch(/fix +\d+d +claude-code +Failed +\$0\.50 +fix +AgentFailed: the model said no/);
    expect(stdout).toMatch(/new +\d+d +codex +Pending/);
    expect((await cox(["get", "--phase", "pending"])).stdout).not.toContain("fix");
    expect((await cox(["get", "-A"])).stdout).toMatch(/NAMESPACE +NAME[^]*team +fix/);
    expect(JSON.parse((await cox(["get", "task", "fix", "--json"])).stdout)).toMatchObject({
      kind: "Task",
      metadata: { name: "fix" },
    });
    expect(parseAllDocuments((await cox(["get", "--yaml"])).stdout)).toHaveLength(2);
    expect(await cox(["get", "task", "nope"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Task nope: there is none in namespace team"),
    });
    expect(await cox(["get", "cats"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("say tasks, workspaces or agentconfigs"),
    });
    expect((await cox(["get", "workspaces"])).stderr).toBe("no workspaces\n");
  });

  test("describe shows how it stands and why, and what it answered", async () => {
    const { cox, cluster } = await desk();
    cluster.addTask(
      "fix",
      { branch: "fix", prompt: "two\nlines \u001b[31mred" },
      { ...status, outputs: [...status.outputs], conditions: [...status.conditions] },
    );
    const { stdout } = await cox(["describe", "fix"]);
    expect(stdout).toMatch(/Phase +Failed \(AgentFailed\)/);
    expect(stdout).toMatch(/Exit code +3/);
    expect(stdout).toMatch(/Took +42s\n/);
    expect(stdout).toMatch(/Tokens +1\.2k in, 15 out/);
    expect(stdout).toContain("  OutputsUnavailable");
    expect(stdout).toContain("  bare words\n");
    expect(stdout).toContain("Response\n  hello moon\n");
    expect(stdout).toContain("Prompt\n  two\n  lines ");
    expect(stdout).not.toContain("\u001b");
    expect(JSON.parse((await cox(["describe", "fix", "--json"])).stdout)).toMatchObject({
      task: { metadata: { name: "fix" } },
      events: [],
    });
  });

  test.each([
    ["claude-code", "claude-oneshot-text", "Hello from fake model"],
    ["codex", "codex-exec-tool-full", "Done."],
    ["gemini", "gemini-text", "Hello from fake model gemini"],
    ["opencode", "opencode-run-think", "Thought about it."],
  ])("logs of %s go through its translator", async (type, name, said) => {
    const { cox, cluster } = await desk();
    cluster.addTask("fix", { type }, { ...status, outputs: [], conditions: [] });
    cluster.say("fix-pod", "a warning on stderr", ...recorded(name));
    cluster.endLog("fix-pod");
    const { stdout } = await cox(["logs", "fix"]);
    expect(stdout.replace(/\s+/g, " ")).toContain(said);
    expect(stdout).toContain("a warning on stderr");
    expect(stdout).toContain("the model said no");
    const events = (await cox(["logs", "fix", "--json"])).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    expect(events.filter((event) => event.type === "complete")).toHaveLength(1);
    expect(events.filter((event) => event.type === "unmapped")).toEqual([]);
    expect((await cox(["logs", "fix", "--raw"])).stdout.split("\n")[0]).toBe("a warning on stderr");
  });

  test("an agent of somebody else's image is quoted", async () => {
    const { cox, cluster } = await desk();
    cluster.addTask("fix", { type: "my-agent", image: "x" }, { phase: "Running", podName: "fix-pod" });
    cluster.say("fix-pod", '{"any":"json"}', "words", "---KELOS_OUTPUTS_START---", "branch: cut short");
    cluster.endLog("fix-pod");
    const { stdout } = await cox(["logs", "fix"]);
    expect(stdout).toContain('{"any":"json"}');
    expect(stdout).toContain("words");
  });

  test("no pod, and a pod that is gone, are told apart", async () => {
    const { cox, cluster } = await desk();
    cluster.addTask("new", {}, { phase: "Failed", message: "Workspace app is missing" });
    cluster.addTask("old", {}, { phase: "Succeeded", podName: "gone" });
    expect(await cox(["logs", "new"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("nothing was said: Workspace app is missing"),
    });
    expect(await cox(["logs", "old"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("its pod is gone, and its log with it"),
    });
  });

  test("logs -f follows from one attempt to the next", async () => {
    const { start, cluster } = await desk();
    cluster.addTask("fix", {}, { phase: "Running", podName: "one" });
    cluster.say("one", ...recorded("claude-oneshot-text"));
    const done = finished(start("logs", "-f", "fix"));
    await until(() => cluster.requests.some(({ path }) => path.endsWith("/one/log")));
    cluster.endLog("one");
    cluster.say("two", "words of the second");
    cluster.endLog("two");
    cluster.setStatus("fix", { phase: "Running", podName: "two" });
    cluster.setStatus("fix", { phase: "Succeeded" });
    const { code, stdout } = await done;
    expect(code).toBe(0);
    expect(stdout.indexOf("Hello from fake model")).toBeLessThan(stdout.indexOf("words of the second"));
  });
});

test("no kubeconfig, and a server that isn't there, are said plainly", async () => {
  const it = scene();
  expect(await it.cox(["k8s", "get"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("there is no kubeconfig"),
  });
  const config = join(it.folder, "kubeconfig");
  writeFileSync(
    config,
    JSON.stringify({
      "current-context": "x",
      clusters: [{ name: "c", cluster: { server: "http://127.0.0.1:1" } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      users: [],
    }),
  );
  expect(await it.cox(["k8s", "get", "--kubeconfig", config])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("ECONNREFUSED"),
  });
  expect(await it.cox(["k8s", "fly"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("say install, upgrade"),
  });
});
