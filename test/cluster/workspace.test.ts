import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentConfigs, jobs, pods, workspaces } from "../../src/cluster/kube/resource.ts";
import { type GitServer, startGitServer } from "./git-server.ts";
import { GIT_AGENT } from "./kube/test-images.ts";
import { ClusterScene, facts, noNode } from "./scene.ts";

const TOKEN = "s3cret-t0ken-of-the-test";

describe.skipIf(noNode)("a Workspace", () => {
  let scene: ClusterScene;
  let git: GitServer;
  beforeAll(async () => {
    scene = await ClusterScene.open();
    await scene.operate();
    git = await startGitServer(facts?.gateway ?? "", TOKEN);
    await scene.secret("git-token", { GITHUB_TOKEN: TOKEN });
    await scene.make(workspaces, "ws", {
      spec: {
        repo: git.url,
        ref: "main",
        depth: 1,
        secretRef: { name: "git-token" },
        remotes: [{ name: "upstream", url: "https://github.com/org/site.js.git" }],
        files: [{ path: "notes/todo.md", content: "from the workspace\n" }],
        setupCommand: ["make", "setup"],
      },
    });
  });
  afterAll(async () => {
    git?.close();
    await scene?.close();
  });

  test("is cloned with a token that is nowhere but in its file, and the agent can push", async () => {
    const script = [
      "set -eu",
      "pwd; cat README.md notes/todo.md",
      'echo "base=$KELOS_BASE_BRANCH branch=$KELOS_BRANCH upstream=$KELOS_UPSTREAM_REPO setup=$KELOS_SETUP_COMMAND"',
      // Everything that says where the repository is, and how it was asked: none of it may hold the token.
      "if grep -r s3cret .git; then exit 9; fi",
      "export HOME=/tmp",
      "git -c user.name=a -c user.email=a@a commit -q --allow-empty -m 'by the agent'; git push -q origin HEAD",
    ].join("\n");
    await scene.task("clone", script, { image: GIT_AGENT, workspaceRef: { name: "ws" }, branch: "agent/work" });
    const { status } = await scene.when("clone");
    expect(status).toMatchObject({ phase: "Succeeded" });
    expect(git.seen).toContain(`x-access-token:${TOKEN}`);
    expect(git.git("log", "-1", "--format=%s", "agent/work")).toBe("by the agent");
    const [pod] = (await scene.client.list(pods, scene.namespace, { labelSelector: "coxswain.dev/task=clone" })).items;
    const log = await scene.log(pod?.metadata.name ?? "", "shell");
    expect(log).toContain("/workspace/repo\nhello from main\nfrom the workspace\n");
    expect(log).toContain('base=main branch=agent/work upstream=org/site.js setup=["make","setup"]');
    const job = await scene.client.get(jobs, scene.namespace, "clone");
    expect(JSON.stringify([job, pod])).not.toContain(TOKEN);
  });

  test("that can't be cloned says why", async () => {
    await scene.make(workspaces, "gone", {
      spec: { repo: git.url.replace("repo.git", "other.git"), depth: 1, secretRef: { name: "git-token" } },
    });
    await scene.task("no-repo", "true", { workspaceRef: { name: "gone" } });
    const { status } = await scene.when("no-repo");
    expect(status).toMatchObject({
      phase: "Failed",
      reason: "WorkspaceFailed",
      message: expect.stringContaining("other.git"),
    });
    expect(status?.message).not.toContain(TOKEN);
  });

  test("without a Workspace there is no working directory and no clone", async () => {
    await scene.task("plain", 'test ! -e /workspace/repo; test "$(pwd)" = /');
    expect((await scene.when("plain")).status?.phase).toBe("Succeeded");
    const job = await scene.client.get(jobs, scene.namespace, "plain");
    expect(job.spec.template.spec).not.toHaveProperty("initContainers");
  });
});

describe.skipIf(noNode)("an AgentConfig", () => {
  let scene: ClusterScene;
  beforeAll(async () => {
    scene = await ClusterScene.open();
    await scene.operate();
  });
  afterAll(() => scene?.close());

  test("gives instructions, plugins and MCP servers; secrets stay references", async () => {
    await scene.secret("mcp", { TOKEN: "mcp-secret-value", "X-Key": "header-secret-value" });
    await scene.make(agentConfigs, "one", {
      spec: {
        agentsMD: "First.",
        plugins: [
          {
            name: "tools",
            skills: [{ name: "look", content: "SKILL one" }],
            agents: [{ name: "critic", content: "AGENT one" }],
          },
        ],
      },
    });
    await scene.make(agentConfigs, "two", {
      spec: {
        agentsMD: "Second.",
        mcpServers: [
          {
            name: "files",
            type: "stdio",
            command: "mcp",
            env: [
              { name: "TOKEN", valueFrom: { secretKeyRef: { name: "mcp", key: "TOKEN" } } },
              { name: "PLAIN", value: "x" },
            ],
          },
          { name: "web", type: "http", url: "https://example.org/mcp", headersFrom: { secretRef: { name: "mcp" } } },
        ],
      },
    });
    const script = [
      "set -eu",
      'echo "$KELOS_AGENTS_MD"; find "$KELOS_PLUGIN_DIR" -type f; cat "$KELOS_PLUGIN_DIR/tools/skills/look/SKILL.md"',
      'touch "$KELOS_PLUGIN_DIR/tools/writable"',
      'echo; echo "$KELOS_MCP_SERVERS"; cat /kelos/mcp/0/env/TOKEN; echo; cat /kelos/mcp/1/header/X-Key',
    ].join("\n");
    await scene.task("configured", script, { agentConfigRefs: [{ name: "one" }, { name: "two" }] });
    expect((await scene.when("configured")).status).toMatchObject({ phase: "Succeeded" });
    const [pod] = (await scene.client.list(pods, scene.namespace, { labelSelector: "coxswain.dev/task=configured" }))
      .items;
    const log = await scene.log(pod?.metadata.name ?? "", "shell");
    expect(log).toContain("First.\n\nSecond.\n");
    expect(log).toContain("/kelos/plugin/tools/agents/critic.md");
    expect(log).toContain("SKILL one");
    expect(log).toContain('"env":{"TOKEN":"${file:/kelos/mcp/0/env/TOKEN}","PLAIN":"x"}');
    expect(log).toContain("mcp-secret-value\nheader-secret-value");
    const job = await scene.client.get(jobs, scene.namespace, "configured");
    expect(JSON.stringify([job, pod])).not.toMatch(/secret-value/);
  });

  test("a prompt and instructions longer than an argument can be are files", async () => {
    const long = `#${"x".repeat(200_000)}`;
    await scene.make(agentConfigs, "long", { spec: { agentsMD: "y".repeat(150_000) } });
    const created = await scene.task("long", `${long}\ntrue`, { agentConfigRef: { name: "long" } });
    // The shell agent takes $1 for its script; what it is told is where the prompt is.
    const { status } = await scene.when("long", (task) => task.status?.attempts === 1);
    expect(status?.jobName).toBe("long");
    const job = await scene.client.get(jobs, scene.namespace, "long");
    const [agent] = job.spec.template.spec.containers;
    expect(agent?.args?.[0]).toContain("/kelos/task/prompt.md");
    expect(agent?.env).toContainEqual({ name: "KELOS_PROMPT_FILE", value: "/kelos/task/prompt.md" });
    expect(created.spec.prompt.length).toBeGreaterThan(200_000);
  });
});
