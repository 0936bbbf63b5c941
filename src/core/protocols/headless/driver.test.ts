import { describe, expect, test } from "vitest";
import { codeOf, init, last, openScene, send, settled, success } from "../../../../test/support/headless-scene.ts";
import type { McpServer } from "../../../contract/runs/mcp-server.ts";
import { turnWords } from "../../agents/launch/turn-words.ts";
import { codexExecDialect } from "./codex-exec/dialect.ts";
import { geminiDialect } from "./gemini/dialect.ts";
import { opencodeDialect } from "./opencode/dialect.ts";

describe("a conversation", () => {
  test("the second turn is a second process, told to resume what the first one named", async () => {
    const scene = await openScene(geminiDialect, { model: "g-1" });
    const first = await scene.prompt("--help me");
    first.say(init, success);
    first.exit(0);
    expect(last(await scene.until("complete"))).toMatchObject({ turn: "t1", outcome: "completed" });
    const second = await scene.prompt("go on");
    second.say(init, success);
    second.exit(0);
    const events = await scene.until("complete");
    expect(scene.launches).toEqual([
      { args: ["-m", "g-1"], stdin: "--help me" },
      { args: ["-m", "g-1", "--resume", "s1"], stdin: "go on" },
    ]);
    expect(events.map((event) => event.type)).toEqual(["turn_started", "complete"]);
    await scene.session.close("done");
    expect(await scene.rest()).toEqual([]);
  });

  test("each CLI is told in its own words", async () => {
    const server = { name: "a.b", transport: { type: "stdio", command: "node", args: ["x y"], env: { K: 'v"' } } };
    const mcpServers = [server as McpServer];
    const cases = [
      [codexExecDialect, {}, ["-"]],
      [codexExecDialect, { resume: { sessionId: "s1" }, model: "m" }, ["-m", "m", "resume", "s1", "-"]],
      [codexExecDialect, { resume: { sessionId: "s1", fork: true } }, ["fork", "s1", "-"]],
      [
        codexExecDialect,
        { mcpServers },
        [
          ...["-c", 'mcp_servers.a_b.command="node"'],
          ...["-c", 'mcp_servers.a_b.args=["x y"]'],
          ...["-c", 'mcp_servers.a_b.env={"K"="v\\""}'],
          "-",
        ],
      ],
      [
        opencodeDialect,
        { resume: { sessionId: "s1", fork: true }, model: "p/m" },
        ["--model", "p/m", "--fork", "--session", "s1"],
      ],
    ] as const;
    for (const [dialect, options, args] of cases) {
      const scene = await openScene<never>(dialect as never, options);
      await scene.prompt("x");
      expect(last(scene.launches).args).toEqual(args);
    }
  });

  test("and in those of its definition alone", async () => {
    const definition = { model: "--engine {model}", resume: "--session", fork: "", prompt: "" };
    for (const dialect of [geminiDialect, opencodeDialect, codexExecDialect]) {
      const options = { model: "m-1", resume: { sessionId: "s0" }, turnWords: turnWords(definition) };
      const scene = await openScene<never>(dialect as never, options);
      await scene.prompt("x");
      await scene.session.send({ type: "set_option", id: "model", value: "m-2" });
      const words = last(scene.launches).args?.filter((word) => word !== "-");
      expect(words).toEqual(["--engine", "m-1", "--session", "s0"]);
    }
  });

  test("what its definition has no words for can't be had, and isn't promised", async () => {
    const turn = { turnWords: {} };
    const scene = await openScene(geminiDialect, { ...turn, model: "g-1" });
    const refused = scene.session.send({ type: "set_option", id: "model", value: "g-2" });
    await expect(refused.catch(codeOf)).resolves.toBe("command.unsupported");
    const first = await scene.prompt("one");
    first.say(init, success);
    first.exit(0);
    const events = await scene.until("complete");
    expect(events).toContainEqual(expect.objectContaining({ type: "notice", code: "model_ignored" }));
    expect(events).toContainEqual(expect.objectContaining({ type: "session_status", can: ["interrupt"] }));
    await scene.prompt("two");
    expect(scene.launches.map(({ args }) => args)).toEqual([[], []]);
    const fork = openScene(codexExecDialect, { ...turn, resume: { sessionId: "s", fork: true } });
    await expect(fork.catch(codeOf)).resolves.toBe("run.not_resumable");
  });

  test("an id that would be a flag is not passed on", async () => {
    const scene = await openScene(geminiDialect);
    const first = await scene.prompt("one");
    first.say({ ...init, session_id: "--yolo" }, success);
    first.exit(0);
    await scene.until("complete");
    await expect(send(scene.session, "two").catch(codeOf)).resolves.toBe("run.not_resumable");
    expect(scene.launches).toHaveLength(1);
  });

  test("an object printed over several lines is one message", async () => {
    const scene = await openScene(geminiDialect);
    const first = await scene.prompt("one");
    first.say(...JSON.stringify({ session_id: "s1", response: "hi" }, null, 2).split("\n"));
    first.exit(0);
    const events = await scene.until("complete");
    expect(events.map(({ type }) => type)).toEqual(["turn_started", "session_status", "message_chunk", "complete"]);
    expect(last(events)).toMatchObject({ outcome: "completed" });
    await scene.prompt("two");
    expect(last(scene.launches).args).toEqual(["--resume", "s1"]);
  });

  test("the model can change between turns", async () => {
    const scene = await openScene(opencodeDialect);
    await scene.session.send({ type: "set_option", id: "model", value: "p/m" });
    const [told] = (await scene.until("config_options")).slice(-1);
    expect(told).toMatchObject({ options: [{ category: "model", value: "p/m" }] });
    await scene.prompt("x");
    expect(last(scene.launches).args).toEqual(["--model", "p/m"]);
    const refused = scene.session.send({ type: "set_option", id: "mode", value: "plan" });
    await expect(refused.catch(codeOf)).resolves.toBe("command.unsupported");
  });

  test("a fork is resumed by its own id from the second turn on", async () => {
    const scene = await openScene(codexExecDialect, { resume: { sessionId: "old", fork: true } });
    const first = await scene.prompt("x");
    first.say({ type: "thread.started", thread_id: "new" }, { type: "turn.started" }, { type: "turn.completed" });
    first.exit(0);
    const events = await scene.until("complete");
    expect(events).toContainEqual(expect.objectContaining({ type: "session_status", status: "new", sessionId: "new" }));
    expect(events.filter((event) => event.type === "notice" && event.code === "session_changed")).toEqual([]);
    await scene.prompt("y");
    expect(scene.launches.map(({ args }) => args?.slice(0, 2))).toEqual([
      ["fork", "old"],
      ["resume", "new"],
    ]);
  });

  test("what a CLI can't do is said at the start", async () => {
    await expect(openScene(geminiDialect, { resume: { sessionId: "s", fork: true } }).catch(codeOf)).resolves.toBe(
      "run.not_resumable",
    );
    const server = { name: "docs", transport: { type: "http", url: "http://x", headers: {} } } as const;
    const scene = await openScene(geminiDialect, { permissions: "ask", mcpServers: [server] });
    await scene.session.close("done");
    const codes = (await scene.rest()).map((event) => event.type === "notice" && event.code);
    expect(codes).toEqual(["never_asks", "mcp_ignored"]);
  });

  test("a second prompt is refused while a turn runs, and an attachment always", async () => {
    const scene = await openScene(geminiDialect);
    const image = { type: "image", mimeType: "image/png", sha256: "0" } as const;
    const attached = scene.session.send({ type: "prompt", promptId: "p", content: [image], delivery: "queue" });
    await expect(attached.catch(codeOf)).resolves.toBe("command.unsupported");
    const starting = send(scene.session, "one");
    await expect(send(scene.session, "two").catch(codeOf)).resolves.toBe("command.unsupported");
    await starting;
    await expect(send(scene.session, "three").catch(codeOf)).resolves.toBe("command.unsupported");
    expect(scene.launches).toHaveLength(1);
  });

  test("a process that stays after its result is given time, then stopped, before the next turn", async () => {
    const scene = await openScene(geminiDialect);
    const first = await scene.prompt("one");
    first.say(init, success);
    await scene.until("complete");
    const next = scene.prompt("two");
    await settled();
    expect(first.stopped).toEqual([]);
    scene.clock.advance(10_000);
    await next;
    expect(first.stopped).toHaveLength(1);
    expect(scene.launches).toHaveLength(2);
  });
});

describe("ended by us", () => {
  test("an interrupt stops the process and the turn is interrupted, even when the CLI exits 0", async () => {
    const scene = await openScene(geminiDialect);
    const process = await scene.prompt("x");
    process.onStop = { code: 0 };
    process.say(init, { type: "tool_use", tool_name: "glob", tool_id: "c1", parameters: { pattern: "*" } });
    await scene.until("tool_call");
    await scene.session.send({ type: "interrupt", turn: "t0" });
    expect(process.stopped).toEqual([]);
    await scene.session.send({ type: "interrupt" });
    expect(process.stopped).toHaveLength(1);
    const events = await scene.until("complete");
    expect(events).toMatchObject([
      { type: "tool_update", toolStatus: "cancelled" },
      { type: "complete", turn: "t1", outcome: "interrupted", stopReason: "cancelled" },
    ]);
    const next = await scene.prompt("go on");
    expect(last(scene.launches).args).toEqual(["--resume", "s1"]);
    next.exit(0);
  });

  test("a prompt right after an interrupt waits until the process is gone", async () => {
    const scene = await openScene(geminiDialect);
    const process = await scene.prompt("x");
    process.onStop = undefined;
    process.say(init);
    await scene.until("session_status");
    void scene.session.send({ type: "interrupt" });
    await settled();
    const next = scene.prompt("at once");
    await settled();
    expect(scene.launches).toHaveLength(1);
    process.exit(137, "", "SIGKILL");
    await next;
    expect(last(await scene.until("complete"))).toMatchObject({ turn: "t1", outcome: "interrupted" });
    expect(scene.launches).toHaveLength(2);
  });

  test("an interrupt without a turn does nothing", async () => {
    const scene = await openScene(geminiDialect);
    await scene.session.send({ type: "interrupt" });
    await scene.session.close("done");
    expect(await scene.rest()).toEqual([]);
  });

  test("closing in the middle stops the process and says why", async () => {
    const scene = await openScene(codexExecDialect);
    const process = await scene.prompt("x");
    process.say({ type: "thread.started", thread_id: "x" }, { type: "turn.started" });
    await scene.until("session_status");
    await scene.session.close("the person left");
    expect(process.stopped).toHaveLength(1);
    expect(await scene.rest()).toMatchObject([{ type: "complete", outcome: "interrupted", reason: "the person left" }]);
    await expect(send(scene.session, "late").catch(codeOf)).resolves.toBe("command.unsupported");
  });

  test("aborting the signal closes the session", async () => {
    const abort = new AbortController();
    const scene = await openScene(geminiDialect, {}, abort.signal);
    await scene.prompt("x");
    abort.abort(new Error("timeout of the run"));
    expect(last(await scene.until("complete"))).toMatchObject({ outcome: "interrupted", reason: "timeout of the run" });
    expect(await scene.rest()).toEqual([]);
  });

  test("closing after the turn lets the process finish its writing", async () => {
    const scene = await openScene(geminiDialect);
    const process = await scene.prompt("x");
    process.say(init, success);
    await scene.until("complete");
    const closed = scene.session.close("done");
    await settled();
    expect(process.stopped).toEqual([]);
    process.exit(0);
    await closed;
  });
});
