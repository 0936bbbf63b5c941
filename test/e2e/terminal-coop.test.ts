import { expect, test } from "vitest";
import { scene } from "../support/cox.ts";
import { ask, SocketClient, startTerminal } from "../support/terminal-host.ts";

/** The requests that coop 0.11 and its coopmux send, as they were recorded between those programs and `cox terminal`. */
async function started() {
  const { workspace, env } = scene();
  const command = ["sh", "-c", 'echo ready; while read line; do echo "you said: $line"; done'];
  const host = await startTerminal({ cwd: workspace, env, command });
  await host.shows(/ready/);
  return host;
}

const text = ({ data }: { data: string }) => Buffer.from(data, "base64").toString();

test("coop attach: it says who it is in its first message, sees what was there before, types and resizes", async () => {
  const host = await started();
  const ws = await new SocketClient(`${host.url.replace("http", "ws")}/ws?subscribe=pty,state`).open();
  ws.send({ event: "auth", token: host.token });
  ws.send({ event: "resize", cols: 100, rows: 29 });
  ws.send({ event: "replay:get", offset: 0, limit: null });
  ws.send({ event: "agent:get" });
  expect(await ws.until(({ event }) => event === "transition")).toMatchObject({
    next: expect.any(String),
    prompt: null,
  });
  expect(await ws.until(({ event }) => event === "resized")).toEqual({ event: "resized", cols: 100, rows: 29 });
  const replay = await ws.until(({ event }) => event === "replay");
  expect(replay).toMatchObject({ offset: 0, next_offset: replay.total_written });
  expect(text(replay)).toBe("ready\r\n");
  expect(await ws.until(({ event }) => event === "agent")).toMatchObject({
    agent: "unknown",
    session_id: host.sessionId,
  });

  ws.send({ event: "input:send:raw", data: Buffer.from("from coop\r").toString("base64") });
  expect(await ws.until(({ event }) => event === "input:sent")).toMatchObject({ bytes_written: 10 });
  await host.shows(/you said: from coop/);
  ws.send({ event: "ping" });
  await ws.until(({ event }) => event === "pong");
  const shown = ws.seen.filter(({ event }) => event === "pty");
  expect(shown[0]).toMatchObject({ offset: replay.next_offset });
  expect(shown.map(text).join("")).toContain("you said: from coop");
});

test("coopmux: it asks whether it is there, looks at it, follows its state, and hands on what others type", async () => {
  const host = await started();
  // reqwest sends no more than this.
  const headers = { accept: "*/*" };
  const open = await ask(host.url, "GET", "/api/v1/health", { headers });
  expect(open).toMatchObject({ status: 200, json: { status: "running", session_id: host.sessionId } });
  for (const [path, has] of [
    ["screen", { lines: expect.arrayContaining(["ready"]), ansi: expect.any(Array), cols: 200, rows: 50 }],
    ["status", { session_id: host.sessionId, state: expect.any(String), exit_code: null }],
    ["agent", { agent: "unknown", prompt: null }],
  ] as const) {
    expect(await host.get(`/api/v1/${path}`, { headers })).toMatchObject({ status: 200, json: has });
  }
  const state = await host.ws("subscribe=state").open();
  expect(await state.until(({ event }) => event === "transition")).toMatchObject({ seq: expect.any(Number) });

  const bridge = await host.ws("subscribe=pty,state").open();
  bridge.send({ event: "screen:get", request_id: "1" });
  bridge.send({ enter: true, event: "input:send", request_id: "2", text: "over the bridge" });
  expect(await bridge.until(({ request_id }) => request_id === "1")).toMatchObject({ event: "screen", cursor: null });
  expect(await bridge.until(({ request_id }) => request_id === "2")).toMatchObject({ bytes_written: 16 });
  await host.shows(/you said: over the bridge/);

  const typed = [
    ["input", { text: "hello", enter: true }, 6],
    ["input/raw", { data: "aGkK" }, 3],
    ["input/keys", { keys: ["Enter"] }, 1],
  ] as const;
  for (const [path, body, bytes_written] of typed) {
    expect(await host.post(`/api/v1/${path}`, body, { headers })).toMatchObject({
      status: 200,
      json: { bytes_written },
    });
  }
  const nudged = await host.post("/api/v1/agent/nudge", { message: "go" }, { headers });
  expect(nudged).toMatchObject({ status: 404, json: { error: { code: "NO_DRIVER" } } });
  const answers = [{ option: null, text: null }];
  const answered = await host.post("/api/v1/agent/respond", { accept: true, option: null, text: null, answers });
  expect(answered).toMatchObject({ status: 404, json: { error: { code: "NO_DRIVER" } } });
});
