import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { claudeArguments } from "../../../terminal/host/claude/claude-arguments.ts";
import { conversationId, logOf, resumedLog } from "../../../terminal/host/claude/claude-conversation.ts";
import { readClaudeLine } from "../../../terminal/host/claude/claude-log.ts";
import { claudeSettings, hookScript } from "../../../terminal/host/claude/claude-settings.ts";
import { readHookPipe } from "../../../terminal/host/hook-pipe.ts";
import type { HookEvent } from "../state/hook-event.ts";
import { claude } from "./claude.ts";
import { readClaudeHook } from "./claude-hooks.ts";

describe("the command", () => {
  const fresh = { session: { id: "ID" }, settingsFile: "S", mcpFile: undefined };
  const resumed = { session: { resume: "OLD" }, settingsFile: "S", mcpFile: "M" };
  test.each([
    ["a new conversation", ["claude", "--x"], fresh, ["claude", "--x", "--session-id", "ID", "--settings", "S"]],
    ["an old one", ["claude"], resumed, ["claude", "--resume", "OLD", "--settings", "S", "--mcp-config", "M"]],
    ["it names its own", ["claude", "--continue"], fresh, ["claude", "--continue", "--settings", "S"]],
    ["it has settings", ["claude", "--settings", "T"], fresh, ["claude", "--settings", "T", "--session-id", "ID"]],
    [
      "in a shell they reach the program, not the shell",
      ["sh", "-c", "cd x && claude --y"],
      fresh,
      ["sh", "-c", 'cd x && claude --y "$@"', "sh", "--session-id", "ID", "--settings", "S"],
    ],
    [
      "whose words have a name",
      ["/bin/bash", "-lc", "claude", "me", "a"],
      fresh,
      ["/bin/bash", "-lc", 'claude "$@"', "me", "a", "--session-id", "ID", "--settings", "S"],
    ],
  ] as const)("%s", (_, command, wishes, expected) => {
    expect(claudeArguments([...command] as [string, ...string[]], wishes)).toEqual(expected);
  });

  test("the shell's program really gets them", () => {
    const [file, ...args] = claudeArguments(["sh", "-c", "printf '%s|' one"], { ...fresh, settingsFile: "/a b/'c'" });
    expect(execFileSync(file, args).toString()).toBe("one|--session-id|ID|--settings|/a b/'c'|");
  });
});

describe("its logs", () => {
  function home() {
    const folder = temporaryFolder();
    const env = { HOME: folder };
    const log = (project: string, id: string, time: number) => {
      mkdirSync(join(folder, ".claude/projects", project), { recursive: true });
      const path = join(folder, ".claude/projects", project, `${id}.jsonl`);
      writeFileSync(path, "{}\n");
      utimesSync(path, time, time);
      return path;
    };
    return { folder, env, log };
  }

  test("are found by id, wherever they lie", () => {
    const { folder, log } = home();
    const path = log("-some-where", "abc", 1);
    expect(logOf(join(folder, ".claude/projects"), "abc")).toBe(path);
    expect(logOf(join(folder, ".claude/projects"), "other")).toBeUndefined();
    expect(logOf(join(folder, "nowhere"), "abc")).toBeUndefined();
  });

  test("--resume takes a log, a workspace, or a project's name; the newest counts", () => {
    const { folder, env, log } = home();
    const workspace = join(folder, "my.work space");
    mkdirSync(workspace);
    const name = workspace.replace(/[^A-Za-z0-9]/g, "-");
    log(name, "old", 100);
    const newest = log(name, "new", 200);
    for (const hint of [newest, workspace, name]) expect(resumedLog(hint, "/", env)).toBe(newest);
    expect(conversationId(newest)).toBe("new");
    for (const hint of ["nothing", "/gone/x.jsonl", "/"])
      expect(() => resumedLog(hint, "/", env)).toThrow("no conversation");
  });
});

describe("its hooks", () => {
  const say = (event: string, data = {}): HookEvent => ({ event, data });
  test.each([
    ["stop", say("stop"), { state: "idle" }],
    ["the session's end", say("session_end"), { state: "idle" }],
    ["it waits", say("notification", { notification_type: "idle_prompt" }), { state: "idle" }],
    ["a prompt", say("user_prompt_submit"), { state: "working" }],
    ["a tool was used", say("post_tool_use", { tool_name: "Bash" }), { state: "working", cause: "hook:tool(Bash)" }],
    [
      "leave is asked",
      say("notification", { notification_type: "permission_prompt" }),
      { state: "prompt", prompt: { type: "permission", tool: null } },
    ],
    [
      "leave for a tool",
      say("permission_request", { tool_name: "Bash", tool_input: { command: "ls" } }),
      { prompt: { type: "permission", tool: "Bash", input: '{"command":"ls"}', ready: false } },
    ],
    [
      "a question",
      say("pre_tool_use", {
        tool_name: "AskUserQuestion",
        tool_input: { questions: [{ question: "Q?", options: [{ label: "a" }, "b"] }] },
      }),
      { prompt: { type: "question", questions: [{ question: "Q?", options: ["a", "b"] }] } },
    ],
    [
      "a plan",
      say("pre_tool_use", { tool_name: "ExitPlanMode", tool_input: { plan: "p" } }),
      { prompt: { type: "plan" } },
    ],
    ["planning", say("pre_tool_use", { tool_name: "EnterPlanMode" }), { state: "working" }],
  ])("%s", (_, event, expected) => {
    expect(readClaudeHook(event)).toMatchObject(expected);
  });

  test.each([say("start"), say("pre_tool_use", { tool_name: "Bash" }), say("notification"), say("new_one")])(
    "%j says nothing",
    (event) => {
      expect(readClaudeHook(event)).toBeUndefined();
    },
  );

  test("stand beside those that are there", () => {
    const settings = claudeSettings(
      { theme: "dark", hooks: { Stop: [{ mine: 1 }] }, permissions: { allow: ["Read"], deny: [] } },
      "/x y/hook.sh",
    );
    expect(settings).toMatchObject({ theme: "dark", permissions: { allow: ["Read", "Bash(cox send:*)"], deny: [] } });
    expect(JSON.stringify(settings.hooks)).toContain(`sh '/x y/hook.sh' stop`);
    expect(settings.hooks).toMatchObject({ Stop: [{ mine: 1 }, { matcher: "" }] });
  });
});

describe("the script of a hook", () => {
  async function scene() {
    const folder = temporaryFolder();
    const pipe = join(folder, "hook.pipe");
    execFileSync("mkfifo", [pipe]);
    const script = join(folder, "hook.sh");
    writeFileSync(script, hookScript(process.execPath));
    const events: HookEvent[] = [];
    const waiting: (() => void)[] = [];
    const reader = readHookPipe(pipe, (event) => {
      events.push(event);
      for (const wake of waiting.splice(0)) wake();
    });
    onTestFinished(() => reader.close());
    const run = async (event: string, input: unknown, env: NodeJS.ProcessEnv = {}) => {
      const child = spawn("sh", [script, event], {
        env: { PATH: process.env.PATH, COOP_HOOK_PIPE: pipe, ...env },
        stdio: ["pipe", "pipe", "inherit"],
      });
      child.stdin.end(typeof input === "string" ? input : JSON.stringify(input, null, 2));
      const output = await text(child.stdout);
      return { code: child.exitCode ?? (await once(child, "exit"))[0], output };
    };
    const heard = async (count: number) => {
      while (events.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
      return events;
    };
    return { folder, pipe, run, heard, events };
  }

  test("hands over what the agent says, long or short, from many at once", async () => {
    const { run, heard, folder } = await scene();
    const inputs = Array.from({ length: 12 }, (_, n) => ({ n, text: `it's "${n}"\n${"ü".repeat(n * 900)}` }));
    await Promise.all(inputs.map((input) => run("post_tool_use", input)));
    const events = await heard(12);
    expect(events.map(({ data }) => data).sort((a, b) => Number(a.n) - Number(b.n))).toEqual(inputs);
    expect(readdirSync(folder).filter((name) => name.startsWith("hook-"))).toEqual([]);
  });

  test("waits for nobody when the host is gone", async () => {
    const { run, folder } = await scene();
    const orphan = join(folder, "orphan.pipe");
    execFileSync("mkfifo", [orphan]);
    for (const pipe of [orphan, join(folder, "none")])
      expect((await run("stop", {}, { COOP_HOOK_PIPE: pipe })).code).toBe(0);
  });

  test("asks the host before a stop, and runs what it says at the start", async () => {
    const { run } = await scene();
    const asked: string[] = [];
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        asked.push(`${request.headers.authorization} ${request.url} ${body}`);
        response.end(request.url?.endsWith("stop") ? '{"decision":"block","reason":"no"}' : "echo injected");
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const env = {
      COOP_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      COOP_HOOK_TOKEN: "of-the-hooks",
    };
    expect((await run("stop", { stop_hook_active: false }, env)).output).toBe('{"decision":"block","reason":"no"}');
    expect((await run("start", { source: "startup" }, env)).output).toBe("injected\n");
    expect(asked).toEqual([
      'Bearer of-the-hooks /api/v1/hooks/stop {"event":"stop","data":{  "stop_hook_active": false}}',
      'Bearer of-the-hooks /api/v1/hooks/start {"event":"start","data":{  "source": "startup"}}',
    ]);
  });
});

describe("a line of its log", () => {
  const assistant = (content: unknown[], more = {}) => ({ type: "assistant", message: { id: "m", content, ...more } });
  test.each([
    ["a person's prompt", { type: "user", message: { content: "hi" } }, { state: "working", tier: 1 }],
    [
      "an interrupt",
      { type: "user", message: { content: [{ type: "text", text: "[Request interrupted by user]" }] } },
      { state: "idle", tier: 1 },
    ],
    [
      "a refusal",
      { type: "user", message: { content: [{ type: "tool_result", content: "User rejected tool use" }] } },
      { state: "idle", tier: 1 },
    ],
    ["thinking", assistant([{ type: "thinking" }]), { state: "working", tier: 2 }],
    ["a tool", assistant([{ type: "tool_use", name: "Bash" }]), { state: "working", cause: "log:tool(Bash)" }],
    [
      "a question",
      assistant([{ type: "tool_use", name: "AskUserQuestion", input: { questions: [] } }]),
      { state: "prompt", prompt: { type: "question" } },
    ],
    ["the answer", assistant([{ type: "text", text: "done" }]), { state: "idle" }],
    [
      "an error",
      { type: "assistant", error: "rate_limit", message: { content: [{ type: "text", text: "API Error" }] } },
      { state: "error", trouble: { category: "rate_limited" } },
    ],
  ])("%s", (_, line, expected) => {
    expect(readClaudeLine(line, 2).report).toMatchObject(expected);
  });

  test.each([
    ["said by the program", { type: "user", isMeta: true, message: { content: "x" } }],
    ["a command", { type: "user", message: { content: "<command-name>/clear" } }],
    ["of a subagent", { type: "assistant", isSidechain: true, message: { content: "x" } }],
    ["text before a tool call", assistant([{ type: "text", text: "I'll look" }], { stop_reason: "tool_use" })],
    ["of another kind", { type: "summary" }],
    ["no record", 7],
  ])("%s: nothing", (_, line) => {
    expect(readClaudeLine(line, 2).report).toBeUndefined();
  });

  test("tells when, what was said last, and what it cost", () => {
    const usage = { input_tokens: 3, output_tokens: 2, cache_read_input_tokens: 5, cache_creation_input_tokens: 7 };
    const line = {
      ...assistant([{ type: "text", text: "hello" }], { usage }),
      timestamp: "2026-01-02T03:04:05.006Z",
      costUSD: 0.5,
    };
    expect(readClaudeLine(line, 2)).toMatchObject({
      report: { at: Date.parse("2026-01-02T03:04:05.006Z") },
      lastMessage: "hello",
      usage: {
        message: "m",
        usage: {
          input_tokens: 3,
          output_tokens: 2,
          cache_read_tokens: 5,
          cache_write_tokens: 7,
          total_cost_usd: 0.5,
          request_count: 1,
        },
      },
    });
  });
});

test.each([
  ["trust", ["No, exit", "Yes, I trust this folder"], 1],
  ["trust", ["Yes, I trust this folder", "No, exit"], 0],
  ["trust", ["Perhaps"], undefined],
  ["security_notes", [], "enter"],
  ["bypass_permissions", ["No, exit", "Yes, I accept"], undefined],
  ["api_key", ["Yes", "No (recommended)"], undefined],
  ["login_method", ["1", "2"], undefined],
])("start-up screen %s with %j is passed by %s", (subtype, options, how) => {
  expect(claude.passes?.(subtype, options)).toBe(how);
});
