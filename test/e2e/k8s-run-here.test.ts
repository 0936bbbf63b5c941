import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Task } from "../../src/contract/resources/task.ts";
import type { Workspace } from "../../src/contract/resources/workspace.ts";
import { scene } from "../support/cox.ts";
import { FakeCluster } from "../support/fake-cluster.ts";

/** A person in a checkout of a repository that has an origin. */
async function desk() {
  const cluster = await FakeCluster.start();
  const it = scene();
  const origin = join(it.folder, "origin.git");
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=a@example.org", ...args], {
      cwd: it.workspace,
      encoding: "utf8",
      stdio: "pipe",
    }).trim();
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", origin]);
  git("init", "-q", "-b", "main");
  writeFileSync(join(it.workspace, "readme.md"), "hello\n");
  git("add", ".");
  git("commit", "-qm", "first");
  git("remote", "add", "origin", origin);
  git("push", "-q", "origin", "main");
  git("remote", "set-url", "origin", "https://ann:secret@git.example/me/app.git");
  const secret = (name: string, data: Record<string, string>) =>
    cluster.put(`/api/v1/namespaces/team/secrets/${name}`, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace: "team" },
      ...{ data },
    });
  secret("coxswain-claude-code", { ANTHROPIC_API_KEY: "aw==" });
  const all = <T>(plural: string) =>
    [...cluster.objects].filter(([path]) => path.includes(`/${plural}/`)).map(([, object]) => object as unknown as T);
  return {
    it,
    cluster,
    git,
    secret,
    tasks: () => all<Task>("tasks"),
    workspaces: () => all<Workspace>("workspaces"),
    run: (...args: string[]) =>
      it.cox(["run", "--on", "kubernetes", "-d", "--agent", "claude", ...args], {
        env: { KUBECONFIG: cluster.kubeconfig },
      }),
  };
}

describe("cox run --on kubernetes", () => {
  test("submits the same agent, model and prompt, on the same commit", async () => {
    const { run, tasks, workspaces } = await desk();
    const { code, stdout, stderr } = await run("-m", "opus", "--timeout", "10m", "-e", "A=b", "fix", "it");
    expect(stderr).toBe("");
    expect(code).toBe(0);
    const [task] = tasks();
    const [workspace] = workspaces();
    expect(stdout).toBe(`${task?.metadata.name}\n`);
    expect(workspace?.metadata.name).toMatch(/^app-[0-9a-f]{8}$/);
    expect(workspace?.spec).toEqual({ repo: "https://git.example/me/app.git", ref: "main", depth: 1 });
    expect(task?.spec).toEqual({
      type: "claude-code",
      prompt: "fix it",
      model: "opus",
      credentials: { type: "api-key", secretRef: { name: "coxswain-claude-code" } },
      workspaceRef: { name: workspace?.metadata.name },
      timeoutSeconds: 600,
      podOverrides: { env: [{ name: "A", value: "b" }] },
    });
    expect((await run("again")).code).toBe(0); // the Workspace is there already
    expect(workspaces()).toHaveLength(1);
  });

  test("a commit that isn't a branch's tip is named by itself; one that nobody else has is refused", async () => {
    const { run, git, it, workspaces } = await desk();
    const pushed = git("rev-parse", "HEAD");
    git("checkout", "-q", "--detach");
    await run("go");
    expect(workspaces()[0]?.spec.ref).toBe(pushed);
    writeFileSync(join(it.workspace, "readme.md"), "changed\n");
    expect((await run("go")).stderr).toContain("changes that are not committed stay here");
    git("commit", "-qam", "second");
    expect(await run("go")).toMatchObject({ code: 2, stderr: expect.stringContaining("origin doesn't have commit") });
  });

  test("--worktree is a branch of the task's own; a Secret for git is used where there is one", async () => {
    const { run, tasks, workspaces, secret } = await desk();
    secret("coxswain-git", { GITHUB_TOKEN: "eA==" });
    await run("--worktree", "--task", "fix-login", "go");
    expect(tasks()[0]?.spec.branch).toBe("cox/fix-login");
    expect(tasks()[0]?.metadata.name).toMatch(/^fix-login-/);
    expect(workspaces()[0]?.spec.secretRef).toEqual({ name: "coxswain-git" });
  });

  test("a profile's keys and servers become Secrets, and only their names are in the Task", async () => {
    const { it, tasks, cluster } = await desk();
    mkdirSync(join(it.home, "profiles"), { recursive: true, mode: 0o700 });
    const profile = {
      agent: "claude",
      model: "haiku",
      base_url: "https://gateway.example",
      token: "sk-canary-1",
      env: { TEAM_KEY: "canary-2" },
      mcp_servers: {
        docs: { command: "docs", env: { T: "canary-3" } },
        web: { url: "https://mcp.example", headers: { Authorization: "Bearer canary-4" } },
      },
    };
    writeFileSync(join(it.home, "profiles/work.yaml"), JSON.stringify(profile), { mode: 0o600 });
    const { code, stderr } = await it.cox(["run", "--on", "kubernetes", "-d", "--profile", "work", "go"], {
      env: { KUBECONFIG: cluster.kubeconfig },
    });
    expect(code, stderr).toBe(0);
    expect(tasks()[0]?.spec).toMatchObject({
      model: "haiku",
      credentials: { type: "api-key", secretRef: { name: "cox-profile-work" } },
      agentConfigRefs: [{ name: "cox-profile-work" }],
      podOverrides: {
        env: [
          { name: "TEAM_KEY", valueFrom: { secretKeyRef: { name: "cox-profile-work", key: "TEAM_KEY" } } },
          { name: "ANTHROPIC_BASE_URL", value: "https://gateway.example" },
        ],
      },
    });
    const open = [...cluster.objects.values()].filter(({ kind }) => kind !== "Secret");
    expect(JSON.stringify(open)).not.toContain("canary");
    expect(cluster.objects.get("/api/v1/namespaces/team/secrets/cox-profile-work-mcp-web")).toMatchObject({
      data: { Authorization: Buffer.from("Bearer canary-4").toString("base64") },
    });
  });

  test.each([
    ["--interactive", ["-i"], /--interactive can't be had in a pod/],
    ["a budget", ["--max-cost", "5"], /--max-cost can't be had in a pod/],
    ["an agent without an image", ["--agent", "demo"], /agent demo: there is no image of it for pods/],
    ["denying everything", ["--permissions", "deny"], /nothing can be denied/],
  ])("%s is refused", async (_, args, message) => {
    const { run, tasks } = await desk();
    expect(await run(...args, "go")).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
    expect(tasks()).toEqual([]);
  });
});
