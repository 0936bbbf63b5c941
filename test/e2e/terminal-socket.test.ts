import { join } from "node:path";
import { expect, test } from "vitest";
import { type Scene, scene, until } from "../support/cox.ts";
import { SocketClient, startTerminal } from "../support/terminal-host.ts";

const start = (place: Scene, command: readonly string[], flags: readonly string[] = []) =>
  startTerminal({ cwd: place.workspace, env: place.env, flags: ["--port", "0", ...flags], command });
const sh = (script: string) => ["sh", "-c", script];

test("ping, and the answers to everything that can be asked", async () => {
  const host = await start(scene(), ["cat"]);
  const ws = await host.ws("").open();
  expect(await ws.call({ event: "ping" })).toEqual({ event: "pong", request_id: "r1" });
  expect(await ws.call({ event: "health:get" })).toMatchObject({ event: "health", status: "running", ws_clients: 1 });
  expect(await ws.call({ event: "ready:get" })).toMatchObject({ event: "ready", ready: false });
  expect(await ws.call({ event: "status:get" })).toMatchObject({ event: "status", session_id: host.sessionId });
  expect(await ws.call({ event: "agent:get" })).toMatchObject({ event: "agent", agent: "unknown", state: "starting" });
  expect(await ws.call({ event: "input:send", text: "abc", enter: true })).toMatchObject({
    event: "input:sent",
    bytes_written: 4,
  });
  await host.shows(/abc\nabc/);
  const screen = await ws.call({ event: "screen:get", cursor: true });
  expect(screen).toMatchObject({ event: "screen", cols: 200, cursor: { row: 2, col: 0 } });
  expect(screen.ansi).toBeUndefined();
  const replay = await ws.call({ event: "replay:get", offset: 0, limit: 3 });
  expect([replay.event, Buffer.from(replay.data, "base64").toString()]).toEqual(["replay", "abc"]);
  expect(await ws.call({ event: "resize", cols: 60, rows: 10 })).toMatchObject({
    event: "resized",
    cols: 60,
    rows: 10,
  });
  expect(await ws.call({ event: "stop:config:put", config: { mode: "gate" } })).toMatchObject({
    event: "stop:configured",
  });
  expect(await ws.call({ event: "stop:config:get" })).toMatchObject({ event: "stop:config", config: { mode: "gate" } });
  expect(await ws.call({ event: "stop:resolve", body: {} })).toMatchObject({ event: "stop:resolved", accepted: true });
  expect(await ws.call({ event: "config:put:get", config: { text: "hi" } })).toMatchObject({
    event: "start:configured",
  });
  expect(await ws.call({ event: "config:start:get" })).toMatchObject({ event: "start:config", config: { text: "hi" } });
  expect(await ws.call({ event: "usage:get" })).toMatchObject({ event: "usage", request_count: 0 });
  expect(await ws.call({ event: "recording:put", enabled: true })).toMatchObject({
    event: "recording:configured",
    enabled: true,
  });
  expect(await ws.call({ event: "transcript:list" })).toMatchObject({ event: "error", code: "NOT_IMPLEMENTED" });
  expect(await ws.call({ event: "keys:send", keys: ["nope"] })).toMatchObject({ event: "error", code: "BAD_REQUEST" });
  expect(await ws.call({ event: "keys:send", keys: ["ctrl-d"] })).toMatchObject({
    event: "input:sent",
    bytes_written: 1,
  });
  await host.agent(({ state }) => state === "exited");
  expect(await ws.call({ event: "shutdown" })).toMatchObject({ event: "shutdown", accepted: true });
  await ws.closed;
});

test("nonsense is answered as such, without ending the connection", async () => {
  const ws = await (await start(scene(), ["cat"])).ws("").open();
  ws.send("{");
  ws.send(JSON.stringify({ event: "no:such", request_id: "x" }));
  await until(() => ws.seen.length === 2);
  for (const answer of ws.seen)
    expect(answer).toEqual({ event: "error", code: "BAD_REQUEST", message: "invalid message" });
  expect(await ws.call({ event: "ping" })).toMatchObject({ event: "pong" });
});

test("a wrong token is refused at the door", async () => {
  const host = await start(scene(), ["cat"]);
  expect(await new SocketClient(`${host.url.replace("http", "ws")}/ws?token=wrong`).refused()).toBe(401);
});

test("without a token nothing is told and nothing done, until it is shown", async () => {
  const host = await start(scene(), sh("while read line; do echo said $line; done"));
  const ws = await host.ws("subscribe=pty,screen,state,hooks", "").open();
  expect(await ws.call({ event: "screen:get" })).toMatchObject({ event: "error", code: "UNAUTHORIZED" });
  expect(await ws.call({ event: "input:send", text: "secret", enter: true })).toMatchObject({ code: "UNAUTHORIZED" });
  await host.post("/api/v1/input", { text: "one", enter: true });
  await host.shows(/said one/);
  expect(await ws.call({ event: "auth", token: "wrong" })).toMatchObject({ event: "error", code: "UNAUTHORIZED" });
  expect(await ws.call({ event: "ping" })).toMatchObject({ event: "pong" });
  expect(ws.seen.map(({ event }) => event)).toEqual(["error", "error", "error", "pong"]);
  ws.send({ event: "auth", token: host.token });
  await ws.until(({ event }) => event === "transition");
  await host.post("/api/v1/input", { text: "two", enter: true });
  await until(() => ws.bytes().toString().includes("said two"));
  expect(ws.bytes().toString()).not.toContain("said one");
  expect((await host.get("/api/v1/screen/text")).text).not.toContain("secret");
});

test("each gets what it subscribed to", async () => {
  const host = await start(scene(), sh("read line; echo hello; exit 4"));
  const [pty, screen, state, all, none] = await Promise.all(
    ["subscribe=output", "subscribe=screen", "subscribe=state", "subscribe=pty,screen,state", ""].map((query) =>
      host.ws(query).open(),
    ),
  );
  await host.post("/api/v1/input", { text: "", enter: true });
  await all?.until(({ event }) => event === "exit");
  await until(() => state?.seen.some(({ event }) => event === "exit"));
  await screen?.until(({ event, lines }) => event === "screen" && lines.includes("hello"));
  const kinds = (ws: SocketClient | undefined) => new Set(ws?.seen.map(({ event }) => event));
  expect(kinds(pty)).toEqual(new Set(["pty"]));
  expect(kinds(screen)).toEqual(new Set(["screen"]));
  expect(kinds(state)).toEqual(new Set(["transition", "exit"]));
  expect(kinds(none)).toEqual(new Set());
  expect(pty?.bytes().toString()).toContain("hello");
  expect(state?.seen[0]).toMatchObject({
    event: "transition",
    prev: "starting",
    next: "starting",
    seq: 0,
    prompt: null,
  });
  expect(state?.seen.at(-1)).toEqual({ event: "exit", code: 4, signal: null });
  const late = await host.ws("subscribe=state").open();
  expect(await late.until(({ event }) => event === "transition")).toMatchObject({ prev: "exited", next: "exited" });
});

test("who comes late gets what it missed, with what was asked", async () => {
  const patterns = { prompt_pattern: "^> ?$", permission_patterns: ["\\?$"] };
  const script = "printf '> '; read a; printf '\\033[2J\\033[Hreally?'; read b; printf '\\033[2J\\033[H> '; read c";
  const host = await start(scene(), sh(script), ["--agent-config", JSON.stringify(patterns)]);
  await host.agent(({ state }) => state === "idle");
  await host.post("/api/v1/input", { text: "x", enter: true });
  await host.agent(({ state }) => state === "prompt");
  await host.post("/api/v1/input", { text: "y", enter: true });
  await host.agent(({ state }) => state === "idle");
  const ws = await host.ws("subscribe=state&since_seq=0").open();
  const asked = await ws.until(({ event, next }) => event === "transition" && next === "prompt");
  expect(asked.prompt).toMatchObject({ type: "permission", input: "really?" });
  const seqs = ws.seen.map(({ seq }) => seq);
  expect(seqs[0]).toBe(1);
  const { json } = await host.get("/api/v1/events/catchup?since_seq=0&since_hook_seq=0");
  expect(json.state_events.find(({ next }: { next: string }) => next === "prompt").prompt.input).toBe("really?");
});

test("hooks come through the pipe, and none is lost to who comes late", async () => {
  const host = await start(
    scene(),
    sh(
      `printf '{"event":"start","data":{"n":1}}\\n' > $COOP_HOOK_PIPE; printf 'no json\\n{"event":"x"}\\n' > $COOP_HOOK_PIPE; exec cat`,
    ),
  );
  const ws = await host.ws("subscribe=hooks&since_hook_seq=0").open();
  await until(() => ws.seen.length >= 2);
  expect(ws.seen.map(({ data }) => data)).toEqual([
    { event: "start", data: { n: 1 } },
    { event: "x", data: {} },
  ]);
  const { json } = await host.get("/api/v1/events/catchup?since_hook_seq=1");
  expect(json.hook_events).toMatchObject([{ hook_seq: 2, json: { event: "x" } }]);
});

test("a client that reads slowly costs nobody else anything, and gets the rest as a replay", async () => {
  const host = await start(scene(), sh("read go; head -c 6000000 /dev/zero | tr '\\0' x; printf THE-END; exec cat"));
  const slow = await host.ws("subscribe=pty").open();
  const quick = await host.ws("subscribe=pty").open();
  slow.ws.pause();
  await host.post("/api/v1/input", { text: "", enter: true });
  await until(() => quick.bytes().includes("THE-END"));
  slow.ws.resume();
  await until(() => slow.seen.some(({ data }) => Buffer.from(data, "base64").includes("THE-END")));
  expect(
    quick.seen
      .filter(({ event }) => event === "pty")
      .reduce((next, { offset, data }) => {
        expect(offset).toBeGreaterThanOrEqual(next);
        return offset + Buffer.from(data, "base64").length;
      }, 0),
  ).toBeGreaterThan(6_000_000);
  // In order, nothing twice; what the ring had lost by then is skipped, and the offset says so.
  let next = 0;
  for (const { offset, data } of slow.seen) {
    expect(offset).toBeGreaterThanOrEqual(next);
    next = offset + Buffer.from(data, "base64").length;
  }
  expect(slow.seen.some(({ event }) => event === "replay")).toBe(true);
});

test("over the unix socket no token is needed", async () => {
  const place = scene();
  const path = join(place.folder, "host.sock");
  const host = await startTerminal({
    cwd: place.workspace,
    env: place.env,
    flags: ["--socket", path],
    command: ["cat"],
  });
  const ws = await new SocketClient(`ws+unix:${path}:/ws?subscribe=state`).open();
  expect(await ws.until(({ event }) => event === "transition")).toMatchObject({ next: "starting" });
  await host.stop();
});
