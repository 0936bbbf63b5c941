import { describe, expect, test } from "vitest";
import { interfaceVariables } from "../../../../contract/resources/environment.ts";
import type { WorkspaceSpec } from "../../../../contract/resources/workspace.ts";
import { agentEnvironment, type EnvironmentInput } from "./environment.ts";

const base: EnvironmentInput = {
  name: "fix",
  namespace: "agents",
  spec: { type: "claude-code", credentials: { type: "none" } },
  wished: [],
  workspace: undefined,
  workspaceSecret: undefined,
  agentsMD: "",
  hasPlugins: false,
  files: {},
  mcpJson: undefined,
  server: undefined,
};

interface Case {
  type: string;
  credentials: "api-key" | "oauth" | "none";
  model: string | undefined;
  host: string | undefined;
  hasSecret: boolean;
  ref: string | undefined;
  agentsMD: string;
  hasPlugins: boolean;
}

/** The table of the image interface, row by row: when each of the fifteen variables is set. */
const rows: Record<string, (c: Case) => boolean> = {
  KELOS_MODEL: (c) => c.model !== undefined,
  ANTHROPIC_API_KEY: (c) => c.type === "claude-code" && c.credentials === "api-key",
  CODEX_API_KEY: (c) => c.type === "codex" && c.credentials === "api-key",
  CODEX_AUTH_JSON: (c) => c.type === "codex" && c.credentials === "oauth",
  GEMINI_API_KEY: (c) => c.type === "gemini" && c.credentials !== "none",
  OPENCODE_API_KEY: (c) => c.type === "opencode" && c.credentials !== "none",
  CLAUDE_CODE_OAUTH_TOKEN: (c) => c.type === "claude-code" && c.credentials === "oauth",
  GITHUB_TOKEN: (c) => c.hasSecret,
  GH_TOKEN: (c) => c.hasSecret && c.host === "github.com",
  GH_ENTERPRISE_TOKEN: (c) => c.hasSecret && c.host === "github.corp.example",
  GH_HOST: (c) => c.host === "github.corp.example",
  KELOS_AGENT_TYPE: () => true,
  KELOS_BASE_BRANCH: (c) => c.ref !== undefined,
  KELOS_AGENTS_MD: (c) => c.agentsMD !== "",
  KELOS_PLUGIN_DIR: (c) => c.hasPlugins,
};

function* cases(): Generator<Case> {
  const workspaces = [
    { host: undefined, hasSecret: false, ref: undefined },
    ...["github.com", "github.corp.example", "gitlab.com", "git.local"].flatMap((host) =>
      [true, false].flatMap((hasSecret) =>
        [undefined, "main", "a".repeat(40)].map((ref) => ({ host, hasSecret, ref })),
      ),
    ),
  ];
  for (const type of ["claude-code", "codex", "gemini", "opencode", "own-agent"]) {
    for (const credentials of ["api-key", "oauth", "none"] as const) {
      for (const workspace of workspaces) {
        for (const model of [undefined, "some-model"]) {
          for (const agentsMD of ["", "Be brief."]) {
            for (const hasPlugins of [true, false])
              yield { type, credentials, model, agentsMD, hasPlugins, ...workspace };
          }
        }
      }
    }
  }
}

function inputOf({ type, credentials, model, host, hasSecret, ref, agentsMD, hasPlugins }: Case): EnvironmentInput {
  const workspace: WorkspaceSpec | undefined =
    host === undefined
      ? undefined
      : {
          repo: `https://${host}/org/repo.git`,
          depth: 1,
          ...(ref ? { ref } : {}),
          ...(hasSecret ? { secretRef: { name: "git" } } : {}),
        };
  return {
    ...base,
    spec: {
      type,
      ...(model ? { model } : {}),
      credentials: { type: credentials, ...(credentials === "none" ? {} : { secretRef: { name: "key" } }) },
    },
    workspace,
    workspaceSecret: hasSecret ? "token" : undefined,
    ...{ agentsMD, hasPlugins },
  };
}

describe("the fifteen variables of the image interface", () => {
  test("are exactly these", () => {
    expect([...interfaceVariables].sort()).toEqual(Object.keys(rows).sort());
    expect(Object.keys(rows)).toHaveLength(15);
  });

  test("each is set exactly when its row says so, over every combination", () => {
    let count = 0;
    for (const one of cases()) {
      const names = new Set(agentEnvironment(inputOf(one)).map(({ name }) => name));
      const expected = Object.entries(rows)
        .filter(([, when]) => when(one))
        .map(([name]) => name);
      const actual = Object.keys(rows).filter((name) => names.has(name));
      if (expected.join() !== actual.join()) expect({ ...one, set: actual }).toEqual({ ...one, set: expected });
      count += 1;
    }
    expect(count).toBe(5 * 3 * 25 * 2 * 2 * 2);
  });

  test("secrets are references, under the key of the same name", () => {
    const entries = agentEnvironment(
      inputOf({
        type: "codex",
        credentials: "oauth",
        model: undefined,
        host: "github.com",
        hasSecret: true,
        ref: undefined,
        agentsMD: "",
        hasPlugins: false,
      }),
    );
    const find = (name: string) => entries.find((entry) => entry.name === name);
    expect(find("CODEX_AUTH_JSON")).toEqual({
      name: "CODEX_AUTH_JSON",
      valueFrom: { secretKeyRef: { name: "key", key: "CODEX_AUTH_JSON" } },
    });
    expect(find("GH_TOKEN")).toEqual({
      name: "GH_TOKEN",
      valueFrom: { secretKeyRef: { name: "git", key: "GITHUB_TOKEN" } },
    });
  });
});

describe("what else an agent finds", () => {
  const values = (input: Partial<EnvironmentInput>) =>
    Object.fromEntries(agentEnvironment({ ...base, ...input }).map(({ name, value }) => [name, value]));

  test("a Task's own variables come last and override nothing", () => {
    const env = [
      { name: "KELOS_AGENT_TYPE", value: "evil" },
      { name: "KELOS_SETUP_COMMAND", value: "[]" },
      { name: "COX_SERVER_URL", value: "http://evil" },
      { name: "KELOS_MODEL", value: "other" },
      { name: "ANTHROPIC_BASE_URL", value: "http://proxy" },
    ];
    const set = values({ spec: { ...base.spec, model: "m" }, wished: env });
    expect(set).toMatchObject({
      KELOS_AGENT_TYPE: "claude-code",
      KELOS_MODEL: "m",
      ANTHROPIC_BASE_URL: "http://proxy",
    });
    expect(set).not.toHaveProperty("KELOS_SETUP_COMMAND");
    expect(set).not.toHaveProperty("COX_SERVER_URL");
  });

  test("what Kubernetes would expand stays text", () => {
    expect(values({ agentsMD: "run $(HOME) now" }).KELOS_AGENTS_MD).toBe("run $$(HOME) now");
  });

  test("what is too long for a variable is a file", () => {
    const set = values({
      agentsMD: "long",
      files: { agentsMD: "/kelos/task/agents.md", mcp: "/kelos/task/mcp.json", prompt: "/kelos/task/prompt.md" },
      mcpJson: "{}",
    });
    expect(set).toMatchObject({
      KELOS_AGENTS_MD: expect.stringContaining("/kelos/task/agents.md"),
      KELOS_AGENTS_MD_FILE: "/kelos/task/agents.md",
      KELOS_MCP_SERVERS_FILE: "/kelos/task/mcp.json",
      KELOS_PROMPT_FILE: "/kelos/task/prompt.md",
    });
    expect(set).not.toHaveProperty("KELOS_MCP_SERVERS");
  });

  test("the upstream repository is told whole, dots and all", () => {
    const workspace = {
      repo: "https://github.com/me/site.js",
      depth: 1,
      remotes: [{ name: "upstream", url: "https://github.com/org/site.js.git" }],
    };
    expect(values({ workspace })).toMatchObject({ KELOS_UPSTREAM_REPO: "org/site.js" });
    expect(values({ workspace, spec: { ...base.spec, upstreamRepo: "a/b" } })).toMatchObject({
      KELOS_UPSTREAM_REPO: "a/b",
    });
  });
});
