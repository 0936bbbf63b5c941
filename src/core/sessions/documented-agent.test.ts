import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { AgentEvent } from "../../contract/events.ts";
import { systemClock } from "../../lib/base/clock.ts";
import { defaultModel } from "../agents/discovery/models.ts";
import { planLaunch } from "../agents/launch/launch.ts";
import { loadRegistry } from "../agents/registry/registry.ts";
import { openSession } from "./open.ts";

/** An entry as the guide to adding agents gives it, to the letter. */
const documented = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../test/support/documented-agent.json"), "utf8"),
);

/** Says on disk how it was started and what it was told, and on stdout what a program of that protocol would. */
const program = `#!${process.execPath}
const { appendFileSync, readFileSync } = require("node:fs");
appendFileSync(process.env.SEEN, JSON.stringify({ args: process.argv.slice(2), stdin: readFileSync(0, "utf8") }) + "\\n");
const say = (message, space) => console.log(JSON.stringify(message, null, space));
const tokens = { prompt: 1000, cached: 200, candidates: 50, thoughts: 7, total: 1057 };
const answers = {
  gemini() {
    const api = { totalRequests: 1 };
    const models = { [process.argv[process.argv.indexOf("--model") + 1]]: { api, tokens } };
    say({ session_id: process.env.NAMELESS ? undefined : "s1", response: "Well said.", stats: { models } }, 2);
  },
  opencode() {
    const step = { type: "step-start", id: "p1" };
    say({ type: "step_start", sessionID: "s1", part: step });
    say({ type: "text", sessionID: "s1", part: { id: "p2", text: "Well said." } });
    say({ type: "step_finish", sessionID: "s1", part: { id: "p3", reason: "stop", tokens: { input: 5, output: 5 } } });
  },
  "codex-exec"() {
    say({ type: "thread.started", thread_id: "s1" });
    say({ type: "turn.started" });
    say({ type: "item.completed", item: { id: "i1", type: "agent_message", text: "Well said." } });
    say({ type: "turn.completed", usage: { input_tokens: 5, output_tokens: 5 } });
  },
};
answers[process.env.PROTOCOL]();
`;

async function stage(entry: { protocol: string; cmd: string[] }, env: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const seen = join(folder, "seen.jsonl");
  writeFileSync(join(folder, "agents.json"), JSON.stringify(entry));
  const file = join(folder, entry.cmd[0] ?? "");
  writeFileSync(file, program);
  chmodSync(file, 0o755);
  const registry = await loadRegistry(folder);
  const caller = { PATH: folder, HOME: folder, GOOGLE_API_KEY: "k", SEEN: seen, PROTOCOL: entry.protocol, ...env };
  const definition = registry.get("gemini");

  /** One run: prompts, and models to switch to between them. */
  async function run(steps: ({ say: string } | { model: string })[], resume?: { sessionId: string }) {
    const model = defaultModel(definition);
    const own = { node: process.execPath, package: folder };
    const plan = planLaunch({ definition, workspace: folder, model, permissions: "ask", own, caller, resume });
    const { session } = await openSession(
      {
        plan,
        resume,
        runId: "r",
        callerEnv: caller,
        cleanEnv: false,
        runEnv: {},
        stdoutPath: join(folder, "stdout.txt"),
        stderrPath: join(folder, "stderr.txt"),
        policy: { default: "ask" },
        mcpServers: [],
        clock: systemClock,
        readBlob: () => Promise.reject(new Error("no attachments here")),
        onProcess: () => {},
        onShrunk: () => {},
      },
      new AbortController().signal,
    );
    const events: AgentEvent[] = [];
    const stream = session.events[Symbol.asyncIterator]();
    const until = async (type: AgentEvent["type"]) => {
      for (;;) {
        const { value, done } = await stream.next();
        if (done) throw new Error(`ended before ${type}`);
        events.push(value);
        if (value.type === type) return;
      }
    };
    for (const step of steps) {
      if ("model" in step) {
        await session.send({ type: "set_option", id: "model", value: step.model });
        continue;
      }
      const content = [{ type: "text" as const, text: step.say }];
      await session.send({ type: "prompt", promptId: step.say, content, delivery: "queue" });
      await until("complete");
    }
    await session.close("done");
    return events;
  }

  const told = (): { args: string[]; stdin: string }[] =>
    readFileSync(seen, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { run, told, folder, problems: registry.problems };
}

const life = [{ say: "one" }, { say: "two" }, { model: "gemini-2.0-pro" }, { say: "three" }];

describe("the documented agent", () => {
  test("is told its model and its conversation once, in its own words, in every turn of every run", async () => {
    const { run, told, folder, problems } = await stage(documented);
    expect(problems).toEqual([]);
    const events = await run(life);
    await run([{ say: "four" }], { sessionId: "s1" });
    const always = ["--output-format=json", "--non-interactive", "--workspace", folder, "--model"];
    expect(told().map(({ args }) => args)).toEqual([
      [...always, "gemini-2.0-flash"],
      [...always, "gemini-2.0-flash", "--resume", "s1"],
      [...always, "gemini-2.0-pro", "--resume", "s1"],
      [...always, "gemini-2.0-flash", "--resume", "s1"],
    ]);
    expect(told().map(({ stdin }) => stdin)).toEqual(["one", "two", "three", "four"]);
    expect(events.filter(({ type }) => type === "session_status")).toHaveLength(1);
    const said = events.flatMap((event) => (event.type === "message_chunk" ? [event.text] : []));
    expect(said).toEqual(["Well said.", "Well said.", "Well said."]);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "complete",
        outcome: "completed",
        usage: expect.objectContaining({ input: 800, cacheRead: 200, output: 57, reasoning: 7 }),
      }),
    );
  });

  test("has the window of its model's definition, where it tells only what it used", async () => {
    const { run } = await stage(documented);
    const windows = (await run(life)).filter((event) => event.type === "context_window");
    const used = { type: "context_window", used: 1057, sizeFrom: "definition" };
    expect(windows).toEqual([
      { ...used, size: 1_000_000 },
      { ...used, size: 1_000_000 },
      { ...used, size: 2_000_000 },
    ]);
  });

  test.each(["gemini", "opencode", "codex-exec"])(
    "speaking %s it has no flags but those it names",
    async (protocol) => {
      const entry = {
        ...documented,
        protocol,
        cmd: ["mine", "go"],
        workspace_flag: "",
        model_flag: '-c model="{model}"',
        session_config: { resume_flag: "--session" },
      };
      const { run, told } = await stage(entry);
      await run(life);
      await run([{ say: "four" }], { sessionId: "s0" });
      const model = (name: string) => ["go", "-c", `model="${name}"`];
      expect(told().map(({ args }) => args.filter((word) => word !== "-"))).toEqual([
        model("gemini-2.0-flash"),
        [...model("gemini-2.0-flash"), "--session", "s1"],
        [...model("gemini-2.0-pro"), "--session", "s1"],
        [...model("gemini-2.0-flash"), "--session", "s0"],
      ]);
    },
  );

  test.each([
    ["without a flag for it", { session_config: { resume_flag: "" } }, {}],
    ["without a name for it", {}, { NAMELESS: "1" }],
  ])("%s the conversation goes on by being told", async (_, fields, env) => {
    const { run, told } = await stage({ ...documented, ...fields }, env);
    await run([{ say: "one" }, { say: "two" }]);
    expect(told().map(({ args }) => args.includes("--resume"))).toEqual([false, false]);
    expect(told()[0]?.stdin).toBe("one");
    expect(told()[1]?.stdin).toMatch(/no memory of[^]*User: one[^]*You: Well said\.[^]*two$/);
  });
});
