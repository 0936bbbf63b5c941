import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { desk, recorded } from "../support/cluster-desk.ts";
import { finished, until } from "../support/cox.ts";

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

  test("whoever may not read Secrets may still name one", async () => {
    const { cox, cluster } = await desk();
    cluster.refusal = { status: 403, reason: "Forbidden", message: "secrets is forbidden" };
    expect(await cox(["run", "-d", "-t", "codex", "--secret", "team", "--name", "x", "go"])).toMatchObject({ code: 0 });
    expect(cluster.task("x")?.spec.credentials).toEqual({ type: "api-key", secretRef: { name: "team" } });
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
    ["no prompt", [], 2, /prompt: there is none/],
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
