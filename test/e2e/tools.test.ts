import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RecordedEvent } from "../../src/contract/events.ts";
import type { RunInfo } from "../../src/contract/runs/run.ts";
import { linesOf } from "../../src/lib/text/lines.ts";
import { type Scene, scene, until } from "../support/cox.ts";

const call = (tool: string, params: object = {}) => `@mcp coxswain ${tool} ${JSON.stringify(params)}`;

/** Starts a demo that plays the script, in the background. */
async function start(made: Scene, script: readonly string[], options: string[] = []): Promise<string> {
  const args = ["run", "-d", "-q", "--agent", "demo", "--permissions", "allow", ...options, "--", script.join("\n")];
  const { stdout, stderr } = await made.cox(args);
  expect(stderr).toBe("");
  return made.idOf(stdout);
}

const runOf = (made: Scene, runId: string) => {
  const found = made.runs().find(({ info }) => info?.run_id === runId);
  if (found === undefined) throw new Error(`there is no run ${runId}`);
  return found;
};

async function ended(made: Scene, runId: string): Promise<{ info: RunInfo; events: RecordedEvent[] }> {
  await made.cox(["wait", runId]);
  const { info, events } = runOf(made, runId);
  if (info === undefined) throw new Error(`run ${runId} has no record`);
  return { info, events };
}

/** What the tools said, in order. */
const results = (events: readonly RecordedEvent[]) =>
  events.flatMap((event) =>
    event.type === "tool_update" && typeof event.result === "string" ? [`${event.toolStatus}: ${event.result}`] : [],
  );

const requestIn = (made: Scene, runId: string) =>
  until(() => runOf(made, runId).events.find((event) => event.type === "question_request"));

describe("an agent with the run's own tools", () => {
  test("posts on its task's bus and reads it", async () => {
    const made = scene();
    const script = [call("bus_post", { body: "tests pass", type: "PROGRESS" }), call("bus_read", { limit: 5 })];
    const runId = await start(made, script, ["--project", "web", "--task", "fix"]);
    const { info, events } = await ended(made, runId);
    expect(info.status).toBe("completed");
    expect(results(events)[1]).toContain("tests pass");
    const { stdout } = await made.cox(["bus", "read", "--project", "web", "--task", "fix", "--json"]);
    const { messages }: { messages: { type: string; body: string; run: string }[] } = JSON.parse(stdout);
    expect(messages.find(({ type }) => type === "PROGRESS")).toMatchObject({ body: "tests pass", run: runId });
  });

  test("over HTTP the same, and its token is nowhere on disk", async () => {
    const made = scene();
    mkdirSync(made.home, { mode: 0o700 });
    const overHttp = [{ id: "demo", protocol_config: { private_headers: true } }];
    writeFileSync(join(made.home, "agents.json"), JSON.stringify(overHttp));
    const script = [call("bus_post", { body: "tests pass" }), call("bus_read"), call("bus_post", { body: "" })];
    const { info, events } = await ended(made, await start(made, script));
    expect(info.status).toBe("completed");
    expect(results(events)).toEqual([
      expect.stringContaining('"id"'),
      expect.stringContaining("tests pass"),
      expect.stringMatching(/^failed: bus_post: body: /),
    ]);
    const entries = readdirSync(made.home, { recursive: true, withFileTypes: true });
    // What is kept of our own code says the word.
    const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.endsWith("/code"));
    const texts = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
    expect(texts.filter((text) => text.includes("Bearer"))).toEqual([]);
  });

  test("asks the person, who answers in another terminal", async () => {
    const made = scene();
    const runId = await start(made, [call("ask_user", { question: "Which colour?", choices: ["red", "blue"] })]);
    expect(await requestIn(made, runId)).toMatchObject({ pendingId: "p0", questions: [{ text: "Which colour?" }] });
    const inbox = await made.cox(["inbox"]);
    expect(inbox.stdout).toContain("Which colour?");
    const inside = await made.cox(["answer", "p0", "blue"], { env: { COX_RUN_ID: runId } });
    expect(inside.stderr).toContain("refused inside run");
    expect(await made.cox(["answer", "p0", "blue"])).toMatchObject({ code: 0 });
    const { events } = await ended(made, runId);
    expect(results(events)).toEqual([expect.stringMatching(/^completed: [^]*"answered"[^]*"blue"/)]);
    const resolved = events.find((event) => event.type === "request_resolved");
    expect(resolved).toMatchObject({ pendingId: "p0", outcome: "answered", by: "person" });
  });

  test("a question goes with an interrupt, and the run goes on", async () => {
    const made = scene();
    const runId = await start(made, [call("ask_user", { question: "Still there?" })], ["-i"]);
    await requestIn(made, runId);
    await made.cox(["interrupt", runId]);
    const resolved = await until(() => runOf(made, runId).events.find((event) => event.type === "request_resolved"));
    expect(resolved).toMatchObject({ pendingId: "p0", outcome: "cancelled", by: "person", reason: "interrupted" });
    await until(() => runOf(made, runId).events.find((event) => event.type === "complete"));
    await made.cox(["prompt", runId, "@say still here"]);
    await until(() => runOf(made, runId).events.find((event) => event.type === "message_chunk"));
    await made.cox(["stop", runId]);
  });

  test("where nobody can be asked it is told so at once", async () => {
    const made = scene();
    const { stdout } = await made.cox(["run", "--json", "--agent", "demo", "--", call("ask_user", { question: "?" })]);
    const events: RecordedEvent[] = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
    expect(results(events)[0]).toContain("there is no terminal to ask on");
    expect(events.find((event) => event.type === "request_resolved")).toMatchObject({ by: "policy" });
  });

  test("starts a child of its own", async () => {
    const made = scene();
    const runId = await start(made, [call("spawn_run", { prompt: "@say hello from below", task: "kid" })]);
    const { events } = await ended(made, runId);
    const { run_id: child }: { run_id: string } = JSON.parse(results(events)[0]?.replace("completed: ", "") ?? "");
    const { info } = await ended(made, child);
    expect(info).toMatchObject({ parent_run_id: runId, task_id: "kid", agent: "demo", status: "completed" });
    const { stdout } = await made.cox(["tree"]);
    expect(stdout).toMatch(/^r1 .*\n└─ r2 /);
  });

  test("starts no more than it may", async () => {
    const made = scene();
    await made.cox(["config", "set", "children.total", "1"]);
    const spawn = call("spawn_run", { prompt: "@say hi" });
    const { events } = await ended(made, await start(made, [spawn, spawn]));
    expect(results(events)).toEqual([
      expect.stringContaining("run_id"),
      expect.stringMatching(/^failed: .*children\.total/),
    ]);
    await until(() => readdirSync(join(made.home, "hosts")).length === 0); // the child has gone before its home does
  });

  test.each([
    ["--no-tools", ["--agent", "demo", "--no-tools"]],
    ["a profile that says off", ["--profile", "plain"]],
  ])("has none with %s", async (_, options) => {
    const made = scene();
    await made.cox(["profile", "set", "plain", "--agent", "demo", "--tools", "off"]);
    const { stdout } = await made.cox(["run", "--json", ...options, "--", call("bus_read")]);
    expect(stdout).toContain("no MCP server coxswain in this session");
  });
});

describe("inside a run that sees only its socket", () => {
  test("cox bus, run, wait, output and task work through it", { timeout: 60_000 }, async () => {
    const made = scene();
    const commands = [
      "cox bus post --type FACT 'seen from inside'",
      "cox bus read --limit 5",
      "child=$(cox run -d --agent demo '@say from the child')",
      "cox wait $child",
      "cox output $child",
      "cox task create --title later 'do that later'",
      "cox bus read --project other || echo no other bus",
      "cox stop latest || echo no stop",
      "cox answer p0 yes || echo no answer",
    ];
    const script = `@run unset COX_HOME; export HOME=/nonexistent; { ${commands.join("; ")}; } 2>&1`;
    const runId = await start(made, [script], ["--project", "web", "--task", "fix"]);
    await made.cox(["wait", runId]);
    const [said = ""] = results(runOf(made, runId).events);
    expect(said).toContain("seen from inside");
    expect(said).toContain("from the child");
    expect(said).toContain("web/task-");
    for (const refusal of ["no other bus", "no stop", "no answer"]) expect(said).toContain(refusal);
    const child = made.runs().find(({ info }) => info?.parent_run_id === runId);
    expect(child?.info).toMatchObject({ status: "completed", project_id: "web" });
  });
});

describe("a raw client of the agent's socket", () => {
  test("gets nothing that is not the run's own", async () => {
    const made = scene();
    await made.cox(["bus", "post", "--project", "web", "--task", "other", "a secret of another task"]);
    const other = await start(made, ["@say mine"], ["--project", "web", "--task", "other"]);
    await made.cox(["wait", other]);
    const runId = await start(made, ["@permission May I?", "@hang"], ["--project", "web", "--task", "fix"]);
    const socket = connect(join(made.home, "hosts", `${runId}.agent.sock`));
    const replies = linesOf(socket);
    const ask = async (method: string, params: object): Promise<{ error?: { code: string }; result?: unknown }> => {
      socket.write(`${JSON.stringify({ id: 1, method, params })}\n`);
      const [line] = (await replies.next()).value ?? [];
      return JSON.parse(line !== undefined && "text" in line ? line.text : "{}");
    };
    await once(socket, "connect");

    const { result: page } = await ask("bus_read", {});
    expect(JSON.stringify(page)).not.toContain("a secret of another task");
    expect(await ask("bus_read", { task: "other" })).toMatchObject({ error: { code: "usage.invalid" } });
    expect(await ask("bus_post", { body: "x", run: other })).toMatchObject({ error: { code: "usage.invalid" } });
    expect(await ask("bus_post", { body: "x", type: "RUN_STOP" })).toMatchObject({ error: { code: "usage.invalid" } });
    expect(await ask("run_status", { run_id: other })).toMatchObject({ error: { code: "run.not_found" } });
    expect(await ask("task_status", { task: "other" })).toMatchObject({ error: { code: "task.not_found" } });
    for (const method of ["answer", "stop", "prompt", "interrupt"]) {
      expect(await ask(method, {})).toMatchObject({ error: { code: "command.unsupported" } });
    }
    const posted = await ask("bus_post", { body: "from the raw client" });
    expect(posted).toMatchObject({ result: { id: expect.any(String) } });
    const { stdout } = await made.cox(["bus", "read", "--project", "web", "--task", "fix", "--json"]);
    const { messages }: { messages: { body: string; run: string }[] } = JSON.parse(stdout);
    expect(messages.find(({ body }) => body === "from the raw client")).toMatchObject({ run: runId });

    await made.cox(["stop", runId]);
    await made.cox(["wait", runId]);
    expect(readdirSync(join(made.home, "hosts"))).toEqual([]);
    socket.destroy();
  });
});
