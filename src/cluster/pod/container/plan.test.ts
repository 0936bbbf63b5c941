import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { planAgent } from "./plan.ts";
import { type ContainerTask, readTask } from "./task.ts";

const bare: ContainerTask = { type: "claude-code", prompt: "--do it", plugins: [], mcpServers: [] };
const context = { home: "/home/agent", own: "/home/agent/.coxswain-task", env: {} };
const plan = (task: Partial<ContainerTask>, env: NodeJS.ProcessEnv = {}) =>
  planAgent({ ...bare, ...task }, { ...context, env });
const fileOf = (planned: ReturnType<typeof plan>, name: string) =>
  planned.files.find(({ path }) => path.endsWith(name))?.content ?? "";
const geminiSettings = (task: Partial<ContainerTask>, env: NodeJS.ProcessEnv = {}) =>
  plan({ ...task, type: "gemini" }, env).settings?.[0]?.values as Record<string, unknown>;

describe("command lines", () => {
  test.each([
    ["claude-code", "claude", ["--model", "m", "--effort", "high"]],
    ["codex", "codex", ["--model", "m", "-"]],
    ["gemini", "gemini", ["--model", "m"]],
    ["opencode", "opencode", ["--model", "m", "--variant", "high"]],
  ])("%s", (type, program, tail) => {
    const planned = plan({ type, model: "m", effort: "high" });
    expect(planned.program).toBe(program);
    expect(planned.args.slice(-tail.length)).toEqual(tail);
    // The prompt is never an argument: it may be long, and begin with a dash.
    expect(JSON.stringify(planned)).not.toContain("--do it");
    expect(plan({ type }).args).not.toContain("--model");
  });

  test("an agent that we have no plan for", () => {
    expect(() => plan({ type: "telepath" })).toThrow(/telepath.*unknown; known are claude-code, codex/);
    expect(() => plan({ type: "constructor" })).toThrow(/unknown/);
  });
});

describe("MCP servers, in each agent's words", () => {
  const mcpServers: ContainerTask["mcpServers"] = [
    { name: "local", transport: { type: "stdio", command: "tool", args: ['a "b"'], env: { TOKEN: "s\\ec\nret" } } },
    { name: "web", transport: { type: "http", url: "https://example.org", headers: { Authorization: "Bearer x" } } },
    { name: "old", transport: { type: "sse", url: "https://example.org/sse", headers: {} } },
  ];

  test.each(["claude-code", "codex", "gemini", "opencode"])("%s: in a file, never in an argument", (type) => {
    const { args, env, files, settings } = plan({ type, mcpServers });
    expect(JSON.stringify([files, settings])).toContain("Bearer x");
    expect(JSON.stringify([args, env])).not.toContain("Bearer x");
  });

  test("codex: TOML", () => {
    const text = fileOf(plan({ type: "codex", mcpServers }), "cox.config.toml");
    expect(text).toContain(
      '[mcp_servers."local"]\ncommand = "tool"\nargs = ["a \\"b\\""]\nenv = { "TOKEN" = "s\\\\ec\\nret" }',
    );
    expect(text).toContain(
      '[mcp_servers."web"]\nurl = "https://example.org"\nhttp_headers = { "Authorization" = "Bearer x" }',
    );
  });

  test("gemini and opencode: JSON", () => {
    expect(geminiSettings({ mcpServers }).mcpServers).toMatchObject({
      web: { httpUrl: "https://example.org" },
      old: { url: "https://example.org/sse" },
    });
    expect(JSON.parse(fileOf(plan({ type: "opencode", mcpServers }), "opencode.json")).mcp).toMatchObject({
      local: { type: "local", command: ["tool", 'a "b"'] },
      web: { type: "remote", headers: { Authorization: "Bearer x" } },
    });
  });
});

describe("keys and logins", () => {
  test("codex: an account's login becomes its file, a gateway a provider", () => {
    const planned = plan(
      { type: "codex" },
      { CODEX_AUTH_JSON: '{"tokens":{}}', OPENAI_BASE_URL: "https://gw.example/v1" },
    );
    expect(fileOf(planned, "auth.json")).toBe('{"tokens":{}}');
    expect(fileOf(planned, "cox.config.toml")).toContain('base_url = "https://gw.example/v1"');
    expect(fileOf(plan({ type: "codex" }), "cox.config.toml")).not.toContain("model_provider");
  });

  test.each([
    ["anthropic/claude", { ANTHROPIC_API_KEY: "k" }],
    ["openai/gpt", { OPENAI_API_KEY: "k" }],
    ["google/gemini", { GOOGLE_GENERATIVE_AI_API_KEY: "k" }],
    ["xai/grok", { XAI_API_KEY: "k" }],
    [undefined, { ANTHROPIC_API_KEY: "k" }],
    ["opencode/zen", {}],
    ["mine/model", {}],
  ])("opencode: the key of %s", (model, expected) => {
    const { env } = plan({ type: "opencode", model }, { OPENCODE_API_KEY: "k" });
    const keys = Object.entries(env).filter(([name]) => name.endsWith("_KEY"));
    expect(Object.fromEntries(keys)).toEqual(expected);
  });

  test("gemini: chooses its key only where there is one", () => {
    const auth = (env: NodeJS.ProcessEnv) => geminiSettings({}, env).security;
    expect(auth({ GEMINI_API_KEY: "k" })).toEqual({ auth: { selectedType: "gemini-api-key" } });
    expect(auth({ GOOGLE_GENAI_USE_VERTEXAI: "true" })).toBeUndefined();
  });
});

describe("what the pod's environment says", () => {
  const folder = temporaryFolder();
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
    return join(folder, path);
  };
  const read = (env: NodeJS.ProcessEnv, ...words: string[]) => readTask(words, { KELOS_AGENT_TYPE: "codex", ...env });

  test("all of it", () => {
    write("plugins/b/skills/two/SKILL.md", "");
    write("plugins/b/skills/.hidden/SKILL.md", "");
    write("plugins/a/agents/helper.md", "");
    write("plugins/a/agents/notes.txt", "");
    const secret = write("mcp/0/header/Authorization", "Bearer x\n");
    const task = read(
      {
        KELOS_MODEL: "m",
        KELOS_EFFORT: "low",
        KELOS_AGENTS_MD_FILE: write("agents.md", "Be kind."),
        KELOS_AGENTS_MD: "it is in a file",
        KELOS_PLUGIN_DIR: join(folder, "plugins"),
        KELOS_MCP_SERVERS: JSON.stringify({
          mcpServers: {
            web: { type: "sse", url: "u", headers: { Authorization: `\${file:${secret}}` } },
            prog: { command: "c", env: [{ name: "A", value: "b" }] },
          },
        }),
        KELOS_SETUP_COMMAND: '["make","deps"]',
      },
      "--help",
      "ignored",
    );
    expect(task).toEqual({
      type: "codex",
      prompt: "--help",
      model: "m",
      effort: "low",
      instructions: "Be kind.",
      plugins: [
        { name: "a", path: join(folder, "plugins/a"), skills: [], agents: ["helper"] },
        { name: "b", path: join(folder, "plugins/b"), skills: ["two"], agents: [] },
      ],
      mcpServers: [
        { name: "web", transport: { type: "sse", url: "u", headers: { Authorization: "Bearer x" } } },
        { name: "prog", transport: { type: "stdio", command: "c", args: [], env: { A: "b" } } },
      ],
      setupCommand: ["make", "deps"],
    });
  });

  test("a long prompt is in its file", () => {
    expect(read({ KELOS_PROMPT_FILE: write("prompt", "long") }, "see the file").prompt).toBe("long");
  });

  test.each<[string, NodeJS.ProcessEnv, string[], RegExp]>([
    ["no type", { KELOS_AGENT_TYPE: "" }, ["p"], /KELOS_AGENT_TYPE: is not set/],
    ["no prompt", {}, [], /no prompt/],
    ["an empty prompt", {}, [""], /no prompt/],
    [
      "a prompt file that isn't there",
      { KELOS_PROMPT_FILE: "/nowhere" },
      ["p"],
      /KELOS_PROMPT_FILE: \/nowhere.*ENOENT/,
    ],
    ["a setup command that is a sentence", { KELOS_SETUP_COMMAND: "make deps" }, ["p"], /not a JSON array/],
    ["one that is empty", { KELOS_SETUP_COMMAND: "[]" }, ["p"], /not a JSON array/],
    ["servers that are no JSON", { KELOS_MCP_SERVERS: "{" }, ["p"], /KELOS_MCP_SERVERS: is not JSON/],
    ["a server of neither kind", { KELOS_MCP_SERVERS: '{"mcpServers":{"x":{}}}' }, ["p"], /x: has neither/],
    [
      "a secret that isn't mounted",
      { KELOS_MCP_SERVERS: '{"mcpServers":{"x":{"command":"c","env":{"T":"${file:/nowhere}"}}}}' },
      ["p"],
      /MCP server x: T: \/nowhere can't be read/,
    ],
  ])("%s", (_, env, words, message) => {
    expect(() => read(env, ...words)).toThrow(message);
  });
});
