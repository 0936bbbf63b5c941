import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { BusDraft } from "../../../contract/bus.ts";
import { homeAt } from "../home.ts";
import { appendMessage, BusWriter, busBlobs, busPath, postMessage } from "./bus.ts";
import { BusDecoder } from "./bus-decoder.ts";
import { readLifecycle, readMessages } from "./bus-reader.ts";

const newBus = () => join(temporaryFolder(), "projects", "p", "t", "TASK-MESSAGE-BUS.md");
const draft = (body: string, more: Partial<BusDraft> = {}): BusDraft => ({ type: "INFO", project: "p", body, ...more });
const post = (path: string, body: string, more: Partial<BusDraft> = {}) => appendMessage(path, draft(body, more), 0).id;
const bodies = (path: string, options = {}) => readMessages(path, options).messages.map(({ body }) => body);

describe("a message", () => {
  test("comes back with all that was said", () => {
    const path = newBus();
    const first = post(path, "one");
    appendMessage(
      path,
      {
        type: "REVIEW",
        project: "p",
        task: "t",
        run: "20260101-0000000000-0000001-0001",
        parents: [first],
        links: ["https://example.org/x"],
        data: { to: "done" },
        body: "two",
      },
      Date.parse("2026-01-02T03:04:05.678Z"),
    );
    const { messages, damaged } = readMessages(path);
    expect(damaged).toBe(0);
    expect(messages[1]).toEqual({
      id: expect.stringMatching(/^m[\w-]+$/),
      time: "2026-01-02T03:04:05.678Z",
      type: "REVIEW",
      project: "p",
      task: "t",
      run: "20260101-0000000000-0000001-0001",
      parents: [first],
      links: ["https://example.org/x"],
      data: { to: "done" },
      body: "two",
      cursor: String(statSync(path).size),
    });
  });

  test.each([
    ["separators of other formats", "---\nmsg_id: x\n---\n\n{}\n"],
    ["a record of its own", '\n{"id":"m1","type":"RUN_STOP","body":"forged"}\n'],
    ["lines that are set in", "---\n ---\r\n\n  {}\nmsg_id: x\n msg_id: y"],
    ["a head of its own", '{"msg_id":"m1","type":"RUN_STOP","bytes":1,"crc":"00000000"}\n---\nx'],
    ["a head of run-agent", "msg_id: MSG-1\ntype: RUN_STOP\n---\nx"],
    ["control characters", "\0\u0001\u2028\u2029\r\n\x1b[31m"],
    ["nothing", ""],
    ["a byte order mark", "\ufefftext"],
  ])("with %s is one message, as it was", (_, body) => {
    const path = newBus();
    post(path, body);
    post(path, "after");
    expect(bodies(path)).toEqual([body, "after"]);
  });

  test("ids differ, also within a millisecond", () => {
    const path = newBus();
    const writer = new BusWriter(path);
    const ids = Array.from({ length: 1000 }, () => writer.post(draft("x"), 0).id);
    writer.close();
    expect(new Set(ids).size).toBe(1000);
  });

  test.each<[string, Partial<BusDraft>]>([
    ["a small type", { type: "info" }],
    ["a type too long", { type: "X".repeat(41) }],
    ["a type with a newline", { type: "A\nB" }],
    ["a parent that is no id", { parents: ["../x"] }],
    ["too many parents", { parents: Array.from({ length: 17 }, () => "m1") }],
    ["a link that is no address", { links: ["not an address"] }],
  ])("with %s is refused", (_, more) => {
    const path = newBus();
    expect(() => post(path, "x", more)).toThrow(expect.objectContaining({ code: "usage.invalid" }));
    expect(bodies(path)).toEqual([]);
  });

  test("of any type of that form is taken", () => {
    const path = newBus();
    post(path, "x", { type: "MY_OWN_TYPE_2" });
    expect(bodies(path, { type: "MY_OWN_TYPE_2" })).toEqual(["x"]);
  });
});

test("half a surrogate, which is no text, costs itself only", () => {
  const path = newBus();
  post(path, "a\ud800b", { data: { error: "c\udc00d" } });
  expect(readMessages(path).messages).toMatchObject([{ body: "a\ufffdb", data: { error: "c\ufffdd" } }]);
});

describe("a large body", () => {
  test.each([
    ["ten megabytes", "ä".repeat(5 * 1024 * 1024)],
    ["small until it is written as UTF-8", "ä".repeat(40_000)],
    ["small until its lines are set in", "{\n".repeat(30_000)],
    ["just over the limit", "x".repeat(64 * 1024)],
  ])("lies beside the bus, whole: %s", (_, body) => {
    const path = newBus();
    post(path, body);
    post(path, "after");
    const [message, after] = readMessages(path).messages;
    expect(message?.body).toMatchObject({ head: body.slice(0, 2000), bytes: Buffer.byteLength(body) });
    if (typeof message?.body !== "object") throw new Error("expected a reference");
    expect(busBlobs(path).read(message.body.sha256).toString() === body).toBe(true);
    expect(after?.body).toBe("after");
    expect(statSync(path).size).toBeLessThan(64 * 1024);
  });

  test("posted twice is kept once", () => {
    const path = newBus();
    for (let n = 0; n < 2; n += 1) post(path, "y".repeat(100_000));
    expect(readdirSync(join(path, "../blobs"))).toHaveLength(1);
  });

  test("beyond 64 MB is refused, with a way out", () => {
    const path = newBus();
    expect(() => post(path, "x".repeat(64 * 1024 * 1024 + 1))).toThrow(/keep it in a file and post its path/);
    expect(bodies(path)).toEqual([]);
  });
});

describe("reading", () => {
  const busOf = (...texts: string[]) => {
    const path = newBus();
    for (const text of texts) post(path, text, { type: text.startsWith("q") ? "QUESTION" : "INFO" });
    return path;
  };

  test("a bus nobody has begun", () => {
    expect(readMessages(newBus())).toEqual({ messages: [], cursor: "0", damaged: 0 });
    expect(readMessages(newBus(), { limit: 5 })).toEqual({ messages: [], cursor: "0", damaged: 0 });
  });

  test("page by page from a cursor, without gap or repeat", () => {
    const path = busOf("a", "b", "c", "d", "e");
    const read: unknown[] = [];
    let since = "0";
    for (let page = 0; page < 4; page += 1) {
      const { messages, cursor } = readMessages(path, { since, limit: 2 });
      read.push(...messages.map(({ body }) => body));
      since = cursor;
    }
    expect(read).toEqual(["a", "b", "c", "d", "e"]);
    post(path, "f");
    expect(bodies(path, { since })).toEqual(["f"]);
  });

  test("the last ones, when there is no cursor, and on from there", () => {
    const path = busOf("a", "q1", "b", "q2", "c", "d");
    expect(bodies(path, { limit: 2 })).toEqual(["c", "d"]);
    expect(bodies(path, { limit: 1, type: "QUESTION" })).toEqual(["q2"]);
    expect(bodies(path, { limit: 5, type: "QUESTION" })).toEqual(["q1", "q2"]);
    expect(bodies(path, { limit: 100 })).toHaveLength(6);
    const { cursor } = readMessages(path, { limit: 1 });
    post(path, "e");
    expect(bodies(path, { since: cursor })).toEqual(["e"]);
  });

  test("one type", () => {
    expect(bodies(busOf("a", "q1", "b"), { type: "QUESTION" })).toEqual(["q1"]);
  });

  test.each(["-1", "abc", "1e3", "99999999", "3", ""])("a cursor that is none of this file is refused: %j", (since) => {
    expect(() => readMessages(busOf("aaaaaaaaaa"), { since })).toThrow(
      expect.objectContaining({ code: "usage.invalid" }),
    );
  });

  test("of records with a fixed id the first one stands", () => {
    const path = newBus();
    for (const body of ["first", "second"]) post(path, body, { type: "RUN_STOP", id: "r1:stop" });
    post(path, "x", { id: "m1" });
    post(path, "x", { id: "m1" });
    expect(bodies(path)).toEqual(["first", "x", "x"]);
  });

  test("lifecycle records are found among many others, and only those cox wrote", () => {
    const path = newBus();
    for (let n = 0; n < 500; n += 1) post(path, `"type":"TASK_STATE" ${n}`);
    post(path, "", { type: "TASK_STATE", data: { to: "done" } });
    appendFileSync(path, '\n{"id":"m9","type":"TASK_STATE","data":{"to":"failed"},"body":""}\n');
    expect(readLifecycle(path).map(({ data }) => data)).toEqual([{ to: "done" }]);
  });
});

describe("damage", () => {
  test("a line that somebody else wrote is shown as such", () => {
    const path = newBus();
    post(path, "ours");
    appendFileSync(path, '{"id":"m1","type":"INFO","body":"theirs"}\n');
    const { messages } = readMessages(path);
    expect(messages.map(({ body, unverified }) => [body, unverified])).toEqual([
      ["ours", undefined],
      ["theirs", true],
    ]);
  });

  test.each([
    ["not JSON", "garbage"],
    ["a list", "[]"],
    ["no id", '{"type":"INFO","body":"x"}'],
    ["no type", '{"id":"m1","body":"x"}'],
    ["no body", '{"id":"m1","type":"INFO"}'],
    ["a body of another kind", '{"id":"m1","type":"INFO","body":7}'],
    ["a wrong check", '{"id":"m1","type":"INFO","body":"x","crc":"00000000"}'],
    ["deep nesting", "[".repeat(100_000)],
    ["a line without end", "x".repeat(3 * 1024 * 1024)],
  ])("%s costs one line and no neighbour", (_, line) => {
    const path = newBus();
    post(path, "before");
    appendFileSync(path, line);
    post(path, "after");
    expect(readMessages(path)).toMatchObject({ messages: [{ body: "before" }, { body: "after" }], damaged: 1 });
  });

  test("cut at every byte of the last record, a bus loses that one at most, and takes the next", () => {
    const path = newBus();
    post(path, "one");
    const kept = statSync(path).size;
    post(path, "two");
    const whole = readFileSync(path);
    for (let size = kept; size < whole.length; size += 1) {
      writeFileSync(path, whole.subarray(0, size));
      post(path, "three");
      const { messages, damaged } = readMessages(path);
      const read = messages.map(({ body }) => body);
      // All of it but the last newline is a whole record.
      if (size === whole.length - 1) expect(read).toEqual(["one", "two", "three"]);
      else expect(read).toEqual(["one", "three"]);
      expect(damaged).toBeLessThanOrEqual(1);
    }
  });

  test("a flipped bit is noticed wherever it is, and costs no neighbour", () => {
    const path = newBus();
    for (const body of ["one", "two", "three"]) post(path, body, { links: ["https://example.org/"] });
    const whole = readFileSync(path);
    const [first, second] = readMessages(path).messages;
    for (let at = Number(first?.cursor) + 1; at < Number(second?.cursor) - 1; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const bytes = Buffer.from(whole);
        bytes.writeUInt8((bytes.at(at) ?? 0) ^ (1 << bit), at);
        writeFileSync(path, bytes);
        const { messages } = readMessages(path);
        const read = messages.filter(({ unverified }) => !unverified).map(({ body }) => body);
        expect(read, `byte ${at}, bit ${bit}`).toEqual(["one", "three"]);
      }
    }
  });

  test("a file that was cut is read on from its new end", () => {
    const path = newBus();
    post(path, "one");
    const bytes = readFileSync(path);
    const decoder = new BusDecoder(0);
    decoder.push(Buffer.concat([bytes, bytes.subarray(0, 20)]));
    decoder.restartAt(5);
    expect(decoder.push(bytes)).toMatchObject([{ body: "one", cursor: String(5 + bytes.length) }]);
    expect(decoder.damaged).toBe(1);
  });

  test("pieces of any size give the same messages", () => {
    const path = newBus();
    for (const body of ["one", "zwei\n", "\u{1f600}".repeat(300)]) post(path, body);
    const bytes = readFileSync(path);
    const expected = readMessages(path).messages;
    for (const size of [1, 2, 7, 100, 4096]) {
      const decoder = new BusDecoder(0);
      const read = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        decoder.push(bytes.subarray(n * size, (n + 1) * size)),
      ).flat();
      expect(read).toEqual(expected);
      expect(decoder.cursor).toBe(String(bytes.length));
    }
  });
});

describe("refused", () => {
  test("a bus of more than 1 GB, with the remedy", () => {
    const path = newBus();
    post(path, "x");
    truncateSync(path, 1024 ** 3 + 1);
    expect(() => post(path, "y")).toThrow(
      expect.objectContaining({ code: "bus.too_large", message: expect.stringContaining(`mv ${path}`) }),
    );
    post(path, "", { type: "TASK_STATE", data: { to: "done" } }); // what a task's state rests on is taken all the same
  });

  test.each([
    ["a link", (path: string) => symlinkSync("/dev/null", path)],
    ["a pipe", (path: string) => execFileSync("mkfifo", [path])],
    ["a folder", (path: string) => mkdirSync(path)],
  ])("%s in the place of the bus, by writers and by readers", (_, plant) => {
    const path = newBus();
    mkdirSync(join(path, ".."), { recursive: true });
    plant(path);
    expect(() => post(path, "x")).toThrow(expect.objectContaining({ code: "store.unwritable" }));
    expect(() => readMessages(path)).toThrow(expect.objectContaining({ code: "store.damaged" }));
  });

  test.skipIf(!existsSync("/dev/full"))("a device that is full, by name", () => {
    // No link to it is followed, so the writer's own file is the device here.
    const error = execFileSync(
      process.execPath,
      [
        "--import",
        import.meta.resolve("tsx"),
        "--input-type=module",
        "-e",
        `import { openSync } from "node:fs";
         import { appendRecord } from ${JSON.stringify(join(import.meta.dirname, "../../../lib/files/journal-line.ts"))};
         try { appendRecord(openSync("/dev/full", "a"), "{}", "bus.jsonl"); } catch (error) { console.log(error.code, error.message); }`,
      ],
      { encoding: "utf8" },
    );
    expect(error).toMatch(/^store\.full .*bus\.jsonl: no space left on the disk \(ENOSPC\); free some space/);
  });

  test("names that would leave the folder", () => {
    const home = homeAt("/nowhere");
    expect(() => busPath(home, "../x")).toThrow(expect.objectContaining({ code: "id.invalid" }));
    expect(() => busPath(home, "p", "..")).toThrow(expect.objectContaining({ code: "id.invalid" }));
    expect(() => busPath(home, "p", "blobs")).toThrow(expect.objectContaining({ code: "id.invalid" }));
  });
});

describe("durable", () => {
  test("many at once are all there, each after its own sync", async () => {
    const path = newBus();
    const ids = await Promise.all(
      Array.from({ length: 50 }, (_, n) => postMessage(path, draft(String(n)), { now: 0, durable: true })),
    );
    expect(readMessages(path).messages.map(({ id }) => id)).toEqual(ids);
  });

  test("with a large body", async () => {
    const path = newBus();
    await postMessage(path, draft("z".repeat(200_000)), { now: 0, durable: true });
    expect(readMessages(path).messages[0]?.body).toMatchObject({ bytes: 200_000 });
  });
});
