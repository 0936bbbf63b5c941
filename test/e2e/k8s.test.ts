import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { finished, root, scene, until } from "../support/cox.ts";
import { FakeCluster } from "../support/fake-cluster.ts";

async function desk() {
  const cluster = await FakeCluster.start();
  const it = scene();
  const env = { KUBECONFIG: cluster.kubeconfig };
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "coxswain-claude-code", namespace: "team" } };
  cluster.put("/api/v1/namespaces/team/secrets/coxswain-claude-code", {
    ...secret,
    ...{ data: { ANTHROPIC_API_KEY: "aw==" } },
  });
  return {
    it,
    cluster,
    cox: (args: string[], input?: string) => it.cox(["k8s", ...args], { env, input }),
    start: (...args: string[]) => it.start(["k8s", ...args], { env }),
  };
}

const recorded = (name: string) =>
  readFileSync(join(root, "test/transcripts", `${name}.jsonl`), "utf8")
    .split("\n")
    .filter((line) => line.includes('"dir":"out"'))
    .map((line) => JSON.stringify(JSON.parse(line).msg));

describe("cox k8s run", () => {
  test("creates the Task that was described", async () => {
    const { cox, cluster } = await desk();
    const { code, stdout, stderr } = await cox([
      ...["run", "-d", "--name", "fix", "-m", "opus", "--effort", "high", "-w", "app", "--branch", "fix-login"],
      ...[
        "--agent-config",
        "team",
        "--agent-config",
        "more",
        "--depends-on",
        "plan",
        "--timeout",
        "30m",
        "--attempts",
        "3",
      ],
      ...["--ttl", "1h", "-e", "A=b=c", "--", "-fix", "the login"],
    ]);
    expect(stderr).toBe("");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "fix\n" });
    expect(cluster.task("fix")?.spec).toEqual({
      type: "claude-code",
      prompt: "-fix the login",
      model: "opus",
      effort: "high",
      credentials: { type: "api-key", secretRef: { name: "coxswain-claude-code" } },
      workspaceRef: { name: "app" },
      branch: "fix-login",
      agentConfigRefs: [{ name: "team" }, { name: "more" }],
      dependsOn: ["plan"],
      timeoutSeconds: 1800,
      ttlSecondsAfterFinished: 3600,
      retry: { attempts: 3 },
      podOverrides: { env: [{ name: "A", value: "b=c" }] },
    });
    expect(cluster.requests[0]?.token).toBe("Bearer sesame");
  });

  test("shows it live, as a local run is shown, and ends with its outcome", async () => {
    const { start, cluster } = await desk();
    const child = start("run", "--name", "fix", "say hello");
    const done = finished(child);
    await until(() => cluster.task("fix"));
    let told = "";
    child.stderr?.on("data", (chunk) => {
      told += String(chunk);
    });
    cluster.setStatus("fix", { phase: "Waiting", reason: "BranchTaken", message: "waits for plan" });
    await until(() => told.includes("Waiting: BranchTaken: waits for plan"));
    cluster.setStatus("fix", {
      phase: "Running",
      reason: "",
      message: "",
      podName: "fix-starting",
      startTime: "2026-01-01T00:00:00Z",
    });
    await until(() => cluster.requests.some(({ path }) => path.endsWith("/fix-starting/log")));
    cluster.say("fix-starting", "--- setup command: npm: done ---", ...recorded("claude-oneshot-text"));
    cluster.say("fix-starting", "---KELOS_OUTPUTS_START---", "branch: main", "---KELOS_OUTPUTS_END---");
    cluster.endLog("fix-starting");
    cluster.setStatus("fix", {
      phase: "Succeeded",
      exitCode: 0,
      completionTime: "2026-01-01T00:01:00Z",
      usage: { inputTokens: 120, outputTokens: 15, costUSD: "0.5" },
    });
    const { code, stdout } = await done;
    expect(code).toBe(0);
    expect(stdout).toContain("Hello from fake model");
    expect(stdout).toContain("setup command: npm: done");
    expect(stdout).not.toContain("KELOS_OUTPUTS");
    expect(stdout).toContain("$0.50");
    expect(stdout).toContain("1m 00s");
  });

  test.each([
    [
      "a Task that failed: the agent's code",
      { phase: "Failed", reason: "AgentFailed", message: "it broke", exitCode: 7 } as const,
      7,
    ],
    ["one that never ran", { phase: "Failed", reason: "SecretMissing", message: "no Secret x" } as const, 1],
    ["one that took too long", { phase: "TimedOut", reason: "DeadlineExceeded", message: "too long" } as const, 124],
    ["one that was cancelled", { phase: "Cancelled", reason: "Cancelled", message: "as asked" } as const, 1],
  ])("%s", async (_, status, code) => {
    const { start, cluster } = await desk();
    const done = finished(start("run", "--name", "fix", "say hello"));
    await until(() => cluster.task("fix"));
    cluster.setStatus("fix", status);
    const ended = await done;
    expect(ended.code).toBe(code);
    expect(ended.stdout).toContain(status.message);
  });

  test("Ctrl-C leaves, and the Task goes on", async () => {
    const { start, cluster } = await desk();
    const child = start("run", "--name", "fix", "say hello");
    const done = finished(child);
    await until(() => cluster.requests.some(({ method, path }) => method === "GET" && path.endsWith("/tasks")));
    child.kill("SIGINT");
    const { code, stderr } = await done;
    expect(code).toBe(0);
    expect(stderr).toContain("detached; Task fix goes on: `cox k8s logs -f fix`");
    expect(cluster.task("fix")?.spec.cancel).toBeUndefined();
  });

  test("a Task deleted meanwhile is no success", async () => {
    const { start, cluster } = await desk();
    const done = finished(start("run", "--name", "fix", "say hello"));
    await until(() => cluster.requests.some(({ method, path }) => method === "GET" && path.endsWith("/tasks")));
    cluster.remove("/apis/coxswain.dev/v1alpha1/namespaces/team/tasks/fix");
    expect(await done).toMatchObject({ code: 1, stderr: expect.stringContaining("was deleted before it ended") });
  });

  test("--dry-run prints it and creates nothing; a name comes from the prompt", async () => {
    const { cox, cluster } = await desk();
    const { stdout } = await cox(["run", "--dry-run", "Fix the LOGIN test, please: now!"]);
    const task = parse(stdout);
    expect(task.metadata.name).toMatch(/^fix-the-login-test-please-now-[a-z0-9]{5}$/);
    expect(task.spec.prompt).toBe("Fix the LOGIN test, please: now!");
    expect(cluster.requests.every(({ method }) => method === "GET")).toBe(true);
  });

  test("an account's token is told from an API key by the name of its key", async () => {
    const { cox, cluster } = await desk();
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "mine", namespace: "team" } };
    cluster.put("/api/v1/namespaces/team/secrets/mine", { ...secret, ...{ data: { CODEX_AUTH_JSON: "e30=" } } });
    await cox(["run", "-d", "-t", "codex", "--secret", "mine", "--name", "x", "go"]);
    expect(cluster.task("x")?.spec.credentials).toEqual({ type: "oauth", secretRef: { name: "mine" } });
  });

  test.each([
    [
      "a Secret that isn't there",
      ["--secret", "nope", "go"],
      2,
      /Secret nope: there is none in namespace team; make it with `cox k8s create secret nope/,
    ],
    [
      "a Secret for another agent",
      ["-t", "gemini", "--secret", "coxswain-claude-code", "go"],
      2,
      /has none of the keys that gemini needs: GEMINI_API_KEY/,
    ],
    ["a name that is none", ["--name", "Fix_It", "go"], 2, /name "Fix_It": use 1 to 63/],
    ["a time that is none", ["--timeout", "soon", "go"], 2, /--timeout "soon": not a time/],
    ["a schema that is broken", ["--branch", "b".repeat(300), "go"], 2, /spec\.branch/],
    ["no prompt", [], 2, /no prompt/],
    ["a variable that is none", ["-e", "A", "go"], 2, /--env "A": use NAME=VALUE/],
  ])("%s", async (_, args, code, message) => {
    const { cox, cluster } = await desk();
    const ended = await cox(["run", ...args]);
    expect(ended).toMatchObject({ code, stderr: expect.stringMatching(message) });
    expect(cluster.requests.every(({ method }) => method === "GET")).toBe(true);
  });

  test("where nothing is installed, it says so", async () => {
    const { cox, cluster } = await desk();
    cluster.isInstalled = false;
    expect(await cox(["run", "go"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("install it with `cox k8s install`"),
    });
    expect(await cox(["get"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("install it with `cox k8s install`"),
    });
  });
});

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

describe("acting", () => {
  test("wait: the worst of the codes, and 124 when time is up", async () => {
    const { cox, start, cluster } = await desk();
    cluster.addTask("good", {}, { phase: "Succeeded" });
    cluster.addTask("bad", {}, { phase: "Running" });
    const done = finished(start("wait", "good", "bad"));
    await until(() => cluster.requests.some(({ path }) => path.endsWith("/tasks")));
    cluster.setStatus("bad", { phase: "Failed", reason: "AgentFailed", message: "no", exitCode: 9 });
    expect(await done).toMatchObject({ code: 9, stdout: "good Succeeded\nbad Failed: AgentFailed: no\n" });
    cluster.addTask("slow", {}, { phase: "Running" });
    expect(await cox(["wait", "slow", "--timeout", "300ms"])).toMatchObject({
      code: 124,
      stderr: expect.stringContaining("Task slow: still runs after 300ms"),
    });
    expect(await cox(["wait", "nope"])).toMatchObject({ code: 1, stderr: expect.stringContaining("Task nope") });
  });

  test("cancel asks; one that has ended can't be asked", async () => {
    const { cox, cluster } = await desk();
    cluster.addTask("fix", {}, { phase: "Running" });
    expect((await cox(["cancel", "fix"])).stdout).toContain("fix is asked to stop");
    expect(cluster.task("fix")?.spec.cancel).toBe(true);
    cluster.addTask("done", {}, { phase: "Succeeded" });
    expect(await cox(["cancel", "done"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has ended already (Succeeded)"),
    });
  });

  test("retry makes a new Task of the same spec, with the failure when asked for", async () => {
    const { cox, cluster } = await desk();
    cluster.addTask(
      "fix",
      { branch: "b", cancel: true },
      { phase: "Failed", reason: "AgentFailed", message: "tests red" },
    );
    expect((await cox(["retry", "fix", "-d"])).stdout).toBe("fix-retry-2\n");
    expect(cluster.task("fix-retry-2")?.spec).toEqual({
      type: "claude-code",
      prompt: "do it",
      credentials: { type: "none" },
      branch: "b",
    });
    cluster.setStatus("fix-retry-2", { phase: "Failed", reason: "AgentFailed", message: "still red" });
    expect((await cox(["retry", "fix-retry-2", "-d", "--append-failure"])).stdout).toBe("fix-retry-3\n");
    expect(cluster.task("fix-retry-3")?.spec.prompt).toBe(
      "do it\n\nAn earlier attempt at this did not succeed: AgentFailed: still red",
    );
    cluster.addTask("live", {}, { phase: "Running" });
    expect(await cox(["retry", "live"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has not ended yet"),
    });
  });

  test("delete by name, by kind, and all of them", async () => {
    const { cox, cluster } = await desk();
    for (const name of ["a", "b", "c"]) cluster.addTask(name);
    expect((await cox(["delete", "a"])).stdout).toBe("Task a deleted\n");
    expect(await cox(["delete", "a"])).toMatchObject({ code: 1 });
    expect(await cox(["delete", "tasks", "--all"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("add --yes"),
    });
    expect((await cox(["delete", "tasks", "--all", "-y"])).stdout).toBe("Task b deleted\nTask c deleted\n");
    expect(await cox(["delete"])).toMatchObject({ code: 2 });
  });

  test("create workspace, with a token that goes from stdin into a Secret and nowhere else", async () => {
    const { cox, cluster } = await desk();
    const args = [
      "create",
      "workspace",
      "app",
      "--repo",
      "https://github.com/me/app.git",
      "--ref",
      "main",
      "--token",
      "--remote",
      "upstream=https://github.com/up/app.git",
      "--setup",
      "npm",
      "--setup",
      "ci",
    ];
    const { code, stdout, stderr } = await cox(args, "ghp_canary\n");
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toBe("Secret app-credentials created\nWorkspace app created\n");
    expect(cluster.objects.get("/apis/coxswain.dev/v1alpha1/namespaces/team/workspaces/app")).toMatchObject({
      spec: {
        repo: "https://github.com/me/app.git",
        ref: "main",
        secretRef: { name: "app-credentials" },
        remotes: [{ name: "upstream", url: "https://github.com/up/app.git" }],
        setupCommand: ["npm", "ci"],
      },
    });
    const secret = cluster.objects.get("/api/v1/namespaces/team/secrets/app-credentials");
    expect(secret).toMatchObject({ data: { GITHUB_TOKEN: Buffer.from("ghp_canary").toString("base64") } });
    expect(await cox(args, "x")).toMatchObject({ code: 1, stderr: expect.stringContaining("already exists") });
    expect(await cox([...args, "--replace"], "x")).toMatchObject({ code: 0 });
    expect(await cox(["create", "workspace", "app"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--repo URL is missing"),
    });
    expect(await cox(["create", "workspace", "app", "--repo", "ftp://x"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("spec.repo"),
    });
  });

  test("create agentconfig, from files", async () => {
    const { cox, it, cluster } = await desk();
    writeFileSync(join(it.workspace, "AGENTS.md"), "Be kind.\n");
    writeFileSync(join(it.workspace, "review.md"), "Review.\n");
    const { code, stderr } = await cox([
      ...["create", "agentconfig", "team", "--agents-md", "@AGENTS.md", "--skill", "review=@review.md"],
      ...["--mcp", 'docs={"type":"stdio","command":"docs","env":{"A":"b"}}'],
    ]);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(cluster.objects.get("/apis/coxswain.dev/v1alpha1/namespaces/team/agentconfigs/team")).toMatchObject({
      spec: {
        agentsMD: "Be kind.\n",
        plugins: [{ name: "cox", skills: [{ name: "review", content: "Review.\n" }] }],
        mcpServers: [{ name: "docs", type: "stdio", command: "docs", env: [{ name: "A", value: "b" }] }],
      },
    });
    expect(await cox(["create", "agentconfig", "x", "--mcp", "a=b"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--mcp a: is not a JSON object"),
    });
    expect(await cox(["create", "agentconfig", "x"])).toMatchObject({ code: 2 });
  });

  test("create secret takes the key from stdin, under the variable's name", async () => {
    const { cox, cluster } = await desk();
    expect((await cox(["create", "secret", "k", "--type", "codex"], "sk-1\n")).stdout).toBe("Secret k created\n");
    expect(cluster.objects.get("/api/v1/namespaces/team/secrets/k")).toMatchObject({
      data: { CODEX_API_KEY: "c2stMQ==" },
    });
    expect(await cox(["create", "secret", "k", "--type", "cat"], "x")).toMatchObject({ code: 2 });
    expect(await cox(["create", "secret", "k2", "--type", "codex"], "")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("stdin is empty"),
    });
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
