import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Scene, scene, until } from "../support/cox.ts";
import { type HostedTerminal, startTerminal } from "../support/terminal-host.ts";

const start = (place: Scene, command: readonly string[], flags: readonly string[] = []) =>
  startTerminal({ cwd: place.workspace, env: place.env, flags: ["--port", "0", ...flags], command });
const sh = (script: string) => ["sh", "-c", script];
const ended = (host: HostedTerminal) => host.agent(({ state }) => state === "exited");

/** The whole ring in slices, as a program would fetch it. */
async function readAll(host: HostedTerminal, from = 0): Promise<{ first: number; bytes: Buffer }> {
  const parts: Buffer[] = [];
  let first = -1;
  for (let offset = from; ; ) {
    const { json } = await host.get(`/api/v1/output?offset=${offset}&limit=100000`);
    if (first === -1) first = json.offset;
    if (json.data === "") return { first, bytes: Buffer.concat(parts) };
    parts.push(Buffer.from(json.data, "base64"));
    offset = json.next_offset;
  }
}

const pattern = (bytes: number) =>
  Buffer.from(
    Array.from({ length: bytes }, (_, at) => (at % 72 === 71 ? 10 : 33 + ((at * 7 + Math.floor(at / 72)) % 90))),
  );
const withCr = (bytes: Buffer) => Buffer.from(bytes.toString("latin1").replaceAll("\n", "\r\n"), "latin1");
const sha = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

test("128 KB arrive to the last byte, over HTTP and over the WebSocket, for several readers", async () => {
  const place = scene();
  const bytes = pattern(128 * 1024);
  writeFileSync(join(place.workspace, "data"), bytes);
  const host = await start(place, sh("read go; cat data; read go"));
  const readers = await Promise.all([1, 2, 3].map(() => host.ws("subscribe=pty").open()));
  await host.post("/api/v1/input", { text: "", enter: true });
  const expected = withCr(bytes);
  await until(async () => (await host.get("/api/v1/status")).json.bytes_read >= expected.length + 2);
  const { first, bytes: got } = await readAll(host);
  expect([first, sha(got.subarray(2))]).toEqual([0, sha(expected)]);
  for (const reader of readers) {
    await until(() => reader.bytes().length >= expected.length + 2);
    expect(sha(reader.bytes().subarray(2))).toBe(sha(expected));
  }
});

test("2 MB through a ring of 1 MiB: the last of it is there, at its offset", async () => {
  const place = scene();
  const bytes = pattern(2_000_000);
  writeFileSync(join(place.workspace, "data"), bytes);
  const host = await start(place, sh("cat data"));
  await ended(host);
  const expected = withCr(bytes);
  const { json } = await host.get("/api/v1/output?offset=0&limit=10");
  expect(json).toMatchObject({ offset: expected.length - 1_048_576, total_written: expected.length });
  const { first, bytes: got } = await readAll(host);
  expect([first, got.length]).toEqual([expected.length - 1_048_576, 1_048_576]);
  expect(sha(got)).toBe(sha(expected.subarray(first)));
  const { json: screen } = await host.get("/api/v1/screen");
  const last = bytes.toString().trimEnd().split("\n").slice(-20);
  expect(screen.lines.filter((line: string) => line !== "").slice(-20)).toEqual(last);
});

test("no byte of a program's last words is lost", async () => {
  const place = scene();
  for (let run = 0; run < 5; run += 1) {
    const host = await start(place, sh("i=0; while [ $i -lt 300 ]; do echo line $i; i=$((i+1)); done; printf END"));
    await ended(host);
    const { bytes } = await readAll(host);
    expect(bytes.toString()).toMatch(/line 299\r\nEND$/);
    expect(bytes.toString().match(/line/g)).toHaveLength(300);
    await host.stop();
  }
});

test("bytes that are no text pass as they are", async () => {
  const place = scene();
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at).filter((at) => at !== 10));
  writeFileSync(join(place.workspace, "data"), bytes);
  const host = await start(place, sh("stty -opost; cat data"));
  await ended(host);
  expect((await readAll(host)).bytes).toEqual(bytes);
});

test("end of input, Ctrl-C and a signal end a program as on any terminal", async () => {
  const eof = await start(scene(), ["cat"]);
  await eof.post("/api/v1/input/keys", { keys: ["ctrl-d"] });
  await ended(eof);
  expect((await eof.get("/api/v1/status")).json.exit_code).toBe(0);

  const interrupted = await start(scene(), sh("echo up; exec sleep 60"));
  await interrupted.shows(/up/);
  const state = await interrupted.ws("subscribe=state").open();
  await interrupted.post("/api/v1/input/keys", { keys: ["ctrl-c"] });
  expect(await state.until(({ event }) => event === "exit")).toEqual({ event: "exit", code: 130, signal: 2 });

  const killed = await start(scene(), sh("kill -9 $$"));
  await ended(killed);
  expect((await killed.get("/api/v1/status")).json.exit_code).toBe(137);
});

test("a program that suspends itself goes on when it is told to", async () => {
  const host = await start(scene(), sh("echo before; kill -STOP $$; echo after; exec cat"));
  await host.shows(/before/);
  await until(async () => {
    await host.post("/api/v1/signal", { signal: "CONT" });
    return (await host.get("/api/v1/screen/text")).text.includes("after");
  });
});

test("input and output cross each other quickly without getting lost", async () => {
  const host = await start(scene(), sh("stty -echo; echo ready; exec cat"));
  await host.shows(/ready/);
  const ws = await host.ws("subscribe=pty").open();
  const lines = Array.from({ length: 200 }, (_, line) => `line ${line}`);
  for (const text of lines) ws.send({ event: "input:send", text, enter: true });
  await until(() => ws.bytes().toString().includes("line 199\r\n"));
  expect(ws.bytes().toString()).toBe(lines.map((line) => `${line}\r\n`).join(""));
});

test("a program may ask its terminal where the cursor is", async () => {
  const host = await start(scene(), [
    "bash",
    "-c",
    String.raw`printf 'abc\033[6n'; IFS= read -rs -d R answer; printf '%q' "$answer"; exec cat`,
  ]);
  await host.shows(/1;4/);
});
