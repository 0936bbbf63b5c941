import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { AgentEvent } from "../../../contract/events.ts";
import { blankRunInfo } from "../../../contract/runs/run.ts";
import { appendMessage, busPath } from "../../../core/store/bus/bus.ts";
import { EventLog } from "../../../core/store/events/event-log.ts";
import { type Home, openHome, runFolder } from "../../../core/store/home.ts";
import { appendLedger, endRecord, startRecord } from "../../../core/store/ledger/ledger.ts";
import { claimRun, releaseRun } from "../../../core/store/runs/claims.ts";
import { runPaths } from "../../../core/store/runs/run-directory.ts";
import { writeRunInfo } from "../../../core/store/runs/run-info.ts";
import { systemClock } from "../../../lib/base/clock.ts";
import { followEvents, type StreamEvent, type StreamKey } from "../../../lib/client/event-stream.ts";
import { httpClient } from "../../../lib/client/http.ts";
import { rawAsk } from "../../../lib/http/test-app.ts";
import type { ServerPorts } from "../ports.ts";
import { streamHandlers } from "../routes/streams.ts";
import { RunIndex } from "../runs/run-index.ts";
import { Runs } from "../runs/runs.ts";
import { type TestServer, testServer } from "../test-server.ts";
import { Streams } from "./streams.ts";

const servers: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of servers.splice(0)) await close();
});

async function scene(home: Home = openHome(temporaryFolder())) {
  const runs = new Runs(home);
  const streams = new Streams({ home, clock: systemClock, runs: runs.index, heartbeatMs: 50 });
  const ports = { home } as ServerPorts;
  const server: TestServer = await testServer(streamHandlers(ports, runs, streams), { home });
  const close = async () => {
    streams.close();
    await server.close();
  };
  servers.push(close);
  return { home, server, streams, close, client: httpClient({ url: server.url, token: server.token }) };
}

let made = 0;

/** A run whose host is this test. */
function liveRun(home: Home, task = "t1") {
  made += 1;
  const runId = `20261115-0900000000-${String(process.pid).padStart(7, "0")}-${String(made).padStart(4, "0")}`;
  const paths = runPaths(runFolder(home, "p", task, runId));
  const claim = { pid: process.pid, start: "", boot: "", namespace: "", dir: paths.dir };
  claimRun(home, runId, claim);
  mkdirSync(paths.dir, { recursive: true });
  const info = {
    ...blankRunInfo,
    run_id: runId,
    project_id: "p",
    task_id: task,
    start_time: "2026-11-15T09:00:00.000Z",
  };
  writeRunInfo(paths.info, info);
  appendLedger(home, startRecord(info, "a run"));
  const log = new EventLog(paths.events);
  const at = "2026-11-15T09:00:00.000Z";
  return {
    runId,
    paths,
    say: (...texts: string[]) =>
      log.append(
        texts.map((text): AgentEvent => ({ type: "message_chunk", messageId: "m", text })),
        at,
      ),
    tell: (event: AgentEvent) => log.append([event], at),
    end() {
      log.append([{ type: "session_status", status: "closed", reason: "done" }], at);
      log.close();
      const ended = { ...info, status: "completed" as const, end_time: at, exit_code: 0 };
      writeRunInfo(paths.info, ended);
      appendLedger(home, endRecord(ended));
      releaseRun(home, runId);
    },
  };
}

/** Collects until the condition holds. */
async function collect(events: AsyncGenerator<StreamEvent[]>, enough: (seen: StreamEvent[]) => boolean) {
  const seen: StreamEvent[] = [];
  for await (const batch of events) {
    seen.push(...batch);
    if (enough(seen)) return seen;
  }
  return seen;
}

const textsOf = (events: readonly StreamEvent[]) =>
  events.flatMap(({ data }) => {
    const { text } = JSON.parse(data);
    return typeof text === "string" ? [text] : [];
  });
const has = (event: string) => (seen: StreamEvent[]) => seen.some((one) => one.event === event);

describe("a run's stream", () => {
  const follow = (client: Awaited<ReturnType<typeof scene>>["client"], run: string, options = {}, query = {}) =>
    followEvents(client, "GET /runs/{run}/stream", { params: { run }, query }, options);

  test("is what was, then what is, then its end", async () => {
    const { home, client } = await scene();
    const run = liveRun(home);
    run.say("a", "b");
    const seen: StreamEvent[] = [];
    for await (const batch of follow(client, run.runId)) {
      seen.push(...batch);
      if (batch.at(-1)?.event === "live") {
        run.say("c");
        run.end();
      }
    }
    expect(seen.map(({ event, id }) => `${event} ${id}`)).toEqual([
      "message 1",
      "message 2",
      "live 2",
      "message 3",
      "message 4",
      "end 4",
    ]);
    expect(textsOf(seen)).toEqual(["a", "b", "c"]);
  });

  test("of a run that has ended is read from disk, from any place", async () => {
    const { home, client } = await scene();
    const run = liveRun(home);
    run.say("a", "b", "c");
    run.end();
    expect(textsOf(await collect(follow(client, run.runId, { lastEventId: "1" }), has("end")))).toEqual(["b", "c"]);
    expect(textsOf(await collect(follow(client, run.runId, {}, { after: 2 }), has("end")))).toEqual(["c"]);
    const usual = await collect(follow(client, run.runId, {}, { types: "session_status" }), has("end"));
    expect(usual.map(({ id }) => id)).toEqual(["4", "4", "4"]);
  });

  test("goes on without gap or repeat for whoever comes back, also to another server", async () => {
    const first = await scene();
    const run = liveRun(first.home);
    run.say("a");
    const before = await collect(follow(first.client, run.runId), has("live"));
    await first.close();
    run.say("b");
    const second = await scene(first.home);
    const lastEventId = before.at(-1)?.id ?? "";
    const after = follow(second.client, run.runId, { lastEventId });
    setTimeout(() => run.say("c"), 50);
    const seen = await collect(after, (events) => textsOf(events).includes("c"));
    expect([...textsOf(before), ...textsOf(seen)]).toEqual(["a", "b", "c"]);
    run.end();
  });

  test("sends heartbeats, and counts who follows", async () => {
    const { home, server, streams } = await scene();
    const run = liveRun(home);
    const leaving = new AbortController();
    const response = await fetch(`${server.url}/api/v1/runs/${run.runId}/stream`, {
      headers: server.headers,
      signal: leaving.signal,
    });
    const reader = response.body?.getReader();
    let text = "";
    while (!text.includes("\n:\n\n")) text += new TextDecoder().decode((await reader?.read())?.value);
    expect(streams.clients).toBe(1);
    leaving.abort();
    await expect.poll(() => streams.clients).toBe(0);
    run.end();
  });

  test("of a run that nobody knows, or from a place that is none, is refused", async () => {
    const { home, client } = await scene();
    const run = liveRun(home);
    const unknown = "20200101-0000000000-0000001-0001";
    await expect(collect(follow(client, unknown), () => true)).rejects.toMatchObject({ code: "run.not_found" });
    const odd = follow(client, run.runId, { lastEventId: "x" });
    await expect(collect(odd, () => true)).rejects.toMatchObject({ code: "usage.invalid" });
    run.end();
  });
});

test("what an agent prints is followed byte by byte, to its end", async () => {
  const { home, client } = await scene();
  const run = liveRun(home);
  const bytes = Buffer.from([0, 255, 10, 13, 200]);
  appendFileSync(run.paths.stdout, bytes);
  const seen: StreamEvent[] = [];
  const params = { run: run.runId, file: "agent-stdout.txt" as const };
  for await (const batch of followEvents(client, "GET /runs/{run}/files/{file}/stream", { params })) {
    seen.push(...batch);
    if (batch.at(-1)?.event === "live") {
      appendFileSync(run.paths.stdout, "more");
      run.end();
    }
  }
  const got = seen.filter(({ event }) => event === "message").map(({ data }) => Buffer.from(data, "base64"));
  expect(Buffer.concat(got)).toEqual(Buffer.concat([bytes, Buffer.from("more")]));
  expect(seen.at(-1)).toMatchObject({ event: "end", id: "9" });
});

describe("the stream of everything", () => {
  const follow = (client: Awaited<ReturnType<typeof scene>>["client"], options = {}, query = {}) =>
    followEvents(client, "GET /stream" satisfies StreamKey, { query }, options);
  const said = (events: readonly StreamEvent[]) =>
    events
      .filter(({ event }) => /^\d{8}-/.test(event))
      .map(({ event, data }) => `${event.slice(-4)} ${JSON.parse(data).seq}`);

  test("has old runs and new ones, the ledger and the buses, and one cursor for each batch", async () => {
    const { home, client } = await scene();
    const old = liveRun(home);
    old.say("a");
    old.end();
    appendMessage(busPath(home, "p", "t1"), { type: "INFO", project: "p", task: "t1", body: "hello" }, Date.now());
    let fresh: ReturnType<typeof liveRun> | undefined;
    const seen: StreamEvent[] = [];
    for await (const batch of follow(client)) {
      seen.push(...batch);
      if (batch.at(-1)?.event === "live") {
        fresh = liveRun(home, "t2");
        fresh.say("b", "c");
        appendMessage(busPath(home, "p", "t2"), { type: "INFO", project: "p", task: "t2", body: "you" }, Date.now());
        fresh.end();
      }
      const done = seen.filter(({ event, data }) => event === "ledger" && JSON.parse(data).type === "end").length === 2;
      if (done && seen.some(({ data }) => data.includes('"you"'))) break;
    }
    const [a, b] = [old.runId.slice(-4), fresh?.runId.slice(-4)];
    expect(said(seen)).toEqual([`${a} 1`, `${a} 2`, `${b} 1`, `${b} 2`, `${b} 3`]);
    const ledger = seen.filter(({ event }) => event === "ledger").map(({ data }) => JSON.parse(data));
    expect(ledger.map(({ type, run_id }) => `${type} ${run_id.slice(-4)}`)).toEqual([
      `start ${a}`,
      `end ${a}`,
      `start ${b}`,
      `end ${b}`,
    ]);
    const bus = seen.filter(({ event }) => event === "bus").map(({ data }) => JSON.parse(data));
    expect(bus.map(({ task, body }) => `${task} ${body}`)).toEqual(["t1 hello", "t2 you"]);
  });

  test("goes on from any of its cursors without gap or repeat", async () => {
    const { home, client } = await scene();
    const runs = [liveRun(home, "t1"), liveRun(home, "t2")];
    const ended = liveRun(home, "t3");
    for (let i = 0; i < 50; i += 1) for (const run of runs) run.say(`${i}`);
    ended.say("x");
    const post = (body: string) =>
      appendMessage(busPath(home, "p", "t1"), { type: "INFO", project: "p", task: "t1", body }, Date.now());
    post("one");
    const whole = await collect(follow(client), has("live"));
    const cursors = whole.flatMap(({ id }, index) => (id === undefined ? [] : [{ id, index }]));
    ended.say("y");
    ended.end();
    post("two");
    for (const run of runs) run.say("last");
    const all = await collect(follow(client), has("live"));
    const key = ({ event, data }: StreamEvent) => (event === "live" ? event : `${event} ${data}`);
    for (const { id, index } of cursors) {
      const rest = await collect(follow(client, { lastEventId: id }), has("live"));
      const together = [...whole.slice(0, index + 1), ...rest].filter(({ event }) => event !== "live").map(key);
      expect(together.toSorted()).toEqual(
        all
          .filter(({ event }) => event !== "live")
          .map(key)
          .toSorted(),
      );
    }
    for (const run of runs) run.end();
  });

  test("from now on has nothing old", async () => {
    const { home, client } = await scene();
    const run = liveRun(home);
    run.say("old");
    const seen: StreamEvent[] = [];
    for await (const batch of follow(client, {}, { from: "now" })) {
      seen.push(...batch);
      if (has("live")(batch)) run.say("new");
      if (textsOf(seen).length > 0) break;
    }
    expect(seen[0]?.event).toBe("live");
    expect(textsOf(seen)).toEqual(["new"]);
    run.end();
  });

  test("that can't follow a new run sends its clients back to their last id, and nothing is missed", async () => {
    const { home, client } = await scene();
    const error = Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
    const seen: StreamEvent[] = [];
    let run: ReturnType<typeof liveRun> | undefined;
    for await (const batch of follow(client, {}, { from: "now" })) {
      seen.push(...batch);
      if (run === undefined && has("live")(batch)) {
        vi.spyOn(RunIndex.prototype, "get").mockImplementationOnce(() => {
          throw error;
        });
        run = liveRun(home);
        run.say("first");
      }
      if (textsOf(seen).length > 0) break;
    }
    expect(textsOf(seen)).toEqual(["first"]);
    run?.end();
  });

  test("is over at once for who asks for its head only", async () => {
    const { server, streams } = await scene();
    const lines = [
      `HEAD /api/v1/stream HTTP/1.1`,
      `Host: 127.0.0.1:${server.port}`,
      `Authorization: Bearer ${server.token}`,
    ];
    expect(await rawAsk(server.port, `${lines.join("\r\n")}\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 .*text\/event-stream/s);
    await expect.poll(() => streams.clients).toBe(0);
  });

  test("of one task has nothing of others", async () => {
    const { home, client } = await scene();
    const [mine, other] = [liveRun(home, "t1"), liveRun(home, "t2")];
    other.say("other");
    mine.say("mine");
    const params = { project: "p", task: "t1" };
    const seen: StreamEvent[] = [];
    for await (const batch of followEvents(client, "GET /tasks/{project}/{task}/stream", { params })) {
      seen.push(...batch);
      if (has("live")(batch)) {
        other.say("other too");
        other.end();
        mine.end();
      }
      if (seen.some(({ event, data }) => event === "ledger" && JSON.parse(data).type === "end")) break;
    }
    expect(textsOf(seen)).toEqual(["mine"]);
    expect(new Set(seen.map(({ event }) => event))).toEqual(new Set([mine.runId, "ledger", "live"]));
  });

  test("passes over runs that were deleted since, and refuses cursors of another home", async () => {
    const { home, client } = await scene();
    const run = liveRun(home);
    run.say("a");
    const seen = await collect(follow(client), has("live"));
    run.end();
    rmSync(run.paths.dir, { recursive: true });
    appendLedger(home, { type: "gone", run_id: run.runId, at: "2026-11-15T09:00:00.000Z" });
    const rest = await collect(follow(client, { lastEventId: seen.at(-1)?.id }), has("live"));
    expect(said(rest)).toEqual([]);
    const elsewhere = await scene(openHome(join(temporaryFolder(), "other")));
    const odd = follow(elsewhere.client, { lastEventId: rest.at(-1)?.id });
    await expect(collect(odd, () => true)).rejects.toMatchObject({ code: "usage.invalid" });
  });
});
