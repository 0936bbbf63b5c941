import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { desk } from "../support/cluster-desk.ts";
import { finished, until } from "../support/cox.ts";

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
