import { appendFileSync, copyFileSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { random } from "../../../../test/support/random.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { BusDraft } from "../../../contract/bus.ts";
import { followBus } from "../../tasks/follow-bus.ts";
import { homeAt } from "../home.ts";
import { appendMessage, busPath } from "./bus.ts";
import { BusDecoder } from "./bus-decoder.ts";
import { messagesBackward, readLifecycle, readMessages } from "./bus-reader.ts";

/** Written by the `run-agent` of conductor-loop at ce73c6a, with `bus post`, and the last one by its own library. */
const recorded = join(import.meta.dirname, "../../../../test/transcripts/run-agent-bus.md");
const run = "20261117-0600000000-0001234-0001";

const newBus = () => join(temporaryFolder(), "TASK-MESSAGE-BUS.md");
const post = (path: string, body: string, more: Partial<BusDraft> = {}) =>
  appendMessage(path, { type: "INFO", project: "p", body, ...more }, 0).id;
const bodies = (path: string, options = {}) => readMessages(path, options).messages.map(({ body }) => body);

const theirs = [
  "plain words",
  'first line\n---\nbehind a rule: "x"\n\n---',
  '{"msg_id":"m1","type":"RUN_STOP"}',
  "quoted: names",
  'ünï ✓ {"id":"x"}',
  "a type of words",
  "not ours to say",
  "",
  "with parents, links and meta",
];

describe("what run-agent wrote", () => {
  test("is read as messages, each as unverified", () => {
    const { messages, damaged, cursor } = readMessages(recorded);
    expect(damaged).toBe(0);
    expect(cursor).toBe(String(statSync(recorded).size));
    expect(messages.map(({ body }) => body)).toEqual(theirs);
    expect(messages.map(({ type }) => type)).toEqual([
      "INFO",
      "DECISION",
      "RESULT",
      "PROGRESS",
      "ISSUE",
      "INFO",
      "RUN_CRASH",
      "QUESTION",
      "USER_REQUEST",
    ]);
    expect(messages.every(({ unverified }) => unverified)).toBe(true);
    expect(messages[0]).toMatchObject({
      id: "MSG-20261117-054233-593953470-PID14932-0001",
      time: "2026-11-17T05:42:33.593960641Z",
      project: "p",
      task: "t",
      run,
    });
    expect(messages[3]).toMatchObject({ project: "123", run: "yes" });
    expect(messages[8]).toMatchObject({
      task: "it's",
      run: "r: 1",
      parents: ["MSG-1", "MSG-2"],
      links: ["https://example.org/a?b=c#d", "file:/x y"],
    });
  });

  test("stands beside ours, before and behind, in any pieces, with cursors that lead on", () => {
    const path = newBus();
    post(path, "before");
    appendFileSync(path, `\n${readFileSync(recorded, "utf8")}`);
    post(path, "behind");
    const { messages, damaged } = readMessages(path);
    expect(damaged).toBe(0);
    expect(messages.map(({ body }) => body)).toEqual(["before", ...theirs, "behind"]);
    for (const [index, { cursor }] of messages.entries()) {
      expect(bodies(path, { since: cursor })).toEqual([...theirs, "behind"].slice(index));
      expect(bodies(path, { limit: index + 1 })).toEqual(["before", ...theirs, "behind"].slice(-index - 1));
    }
    const bytes = readFileSync(path);
    for (const size of [1, 3, 50, 1000]) {
      const decoder = new BusDecoder(0);
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        decoder.push(bytes.subarray(n * size, (n + 1) * size)),
      );
      expect([...pieces.flat(), ...decoder.settle()]).toEqual(messages);
      expect(decoder.damaged).toBe(0);
    }
  });

  test("is found from the end, however much there is", () => {
    const path = newBus();
    for (let n = 0; n < 40; n += 1) {
      appendFileSync(path, `\n${readFileSync(recorded, "utf8")}`);
      post(path, `ours ${n} ${"x".repeat(n * 100)}`);
    }
    const backward = [...messagesBackward(path)].map(({ message }) => message).toReversed();
    expect(backward).toEqual(readMessages(path).messages);
    expect(backward).toHaveLength(400);
  });

  test("moves no task", () => {
    expect(readLifecycle(recorded)).toEqual([]);
  });

  test("torn at any byte it costs itself only, whoever writes next", () => {
    const path = newBus();
    const whole = readFileSync(recorded);
    const [first = "", second = ""] = readMessages(recorded).messages.map(({ cursor }) => cursor);
    for (let size = Number(first) + 1; size < Number(second); size += 1) {
      for (const next of ["ours", "theirs"]) {
        writeFileSync(path, whole.subarray(0, size));
        if (next === "ours") post(path, "last");
        else
          appendFileSync(
            path,
            `\n---\nmsg_id: MSG-9\nts: 2026-01-02T03:04:05Z\ntype: INFO\nproject_id: p\n---\nlast\n`,
          );
        const { messages, damaged } = readMessages(path);
        expect(messages[0]?.body, `byte ${size}`).toMatch(/^plain words/); // whose end nobody knows
        expect(messages.at(-1)?.body, `byte ${size}`).toBe("last");
        expect(messages.length).toBeLessThanOrEqual(3);
        expect(damaged).toBeLessThanOrEqual(1);
      }
    }
  });

  test("is followed as it comes: also when a message of ours comes between its two writes", async () => {
    const path = newBus();
    post(path, "first");
    const stop = new AbortController();
    const read: unknown[] = [];
    const following = (async () => {
      for await (const { messages } of followBus(path, { since: "0", signal: stop.signal })) {
        read.push(...messages.map(({ body }) => body));
        if (read.length === 1) {
          appendFileSync(path, "\n");
          post(path, "between");
          appendFileSync(path, "---\nmsg_id: MSG-1\ntype: INFO\nproject_id: p\n---\nof two\nlines\n");
        }
        if (read.length === 3) post(path, "last");
        if (read.length === 4) return;
      }
    })();
    await following;
    expect(read).toEqual(["first", "between", "of two\nlines", "last"]);
  });
});

/** As strict as theirs: a rule, YAML up to a rule, and text up to the next one. */
function readAsTheyDo(text: string): { head: Record<string, unknown>; body: string }[] {
  const parts = text.split(/^---\n/m).slice(1);
  return Array.from({ length: parts.length / 2 }, (_, n) => ({
    head: parse(parts[2 * n] ?? "", { strict: true, version: "1.1" }),
    body: (parts[2 * n + 1] ?? "").replace(/\n\n?$/, ""),
  }));
}

describe("what cox writes", () => {
  test("run-agent reads as its own: head, body, and nothing a body pretends to be", () => {
    const path = newBus();
    const first = post(path, "plain\n\nwords");
    post(path, "---\nmsg_id: x\n---\n{}", {
      type: "REVIEW",
      task: "t",
      run,
      parents: [first],
      links: ["https://example.org/\u0085"],
      data: { error: "\u007f\u2028\ufeff\ud800 😀\n", none: undefined, more: true },
    });
    post(path, "");
    const read = readAsTheyDo(readFileSync(path, "utf8"));
    expect(read.map(({ body }) => body)).toEqual(["plain\n\nwords", " ---\n msg_id: x\n ---\n {}", ""]);
    expect(read[0]?.head).toMatchObject({
      msg_id: first,
      ts: "1970-01-01T00:00:00.000Z",
      type: "INFO",
      project_id: "p",
    });
    expect(read[1]?.head).toMatchObject({
      type: "REVIEW",
      task_id: "t",
      run_id: run,
      parents: [first],
      links: [{ url: "https://example.org/\u0085" }],
      data: { error: "\u007f\u2028\ufeff\ufffd 😀\n", more: true },
    });
    // What its YAML library refuses, or takes for a line's end, is in no head.
    expect(readFileSync(path, "utf8")).not.toMatch(/[\u007f-\u009f\u2028\ufeff]/);
  });

  test("lies where run-agent looks, unless it was begun under its old name", () => {
    const home = homeAt(temporaryFolder());
    const folder = join(home.root, "projects/p/t");
    mkdirSync(folder, { recursive: true });
    expect(busPath(home, "p")).toBe(join(home.root, "projects/p/PROJECT-MESSAGE-BUS.md"));
    expect(busPath(home, "p", "t")).toBe(join(folder, "TASK-MESSAGE-BUS.md"));
    writeFileSync(join(folder, "bus.jsonl"), "");
    expect(busPath(home, "p", "t")).toBe(join(folder, "bus.jsonl"));
  });
});

/** Written by cox when a record was one line of JSON. */
const old = join(import.meta.dirname, "../../../../test/transcripts/old-bus.jsonl");

describe("a bus of the old form", () => {
  test("is read, and goes on in the new one", () => {
    const path = join(temporaryFolder(), "bus.jsonl");
    copyFileSync(old, path);
    const before = readMessages(path);
    expect(before.damaged).toBe(0);
    expect(before.messages.map(({ type, unverified }) => [type, unverified])).toEqual([
      ["RUN_START", undefined],
      ["PROGRESS", undefined],
      ["RUN_STOP", undefined],
      ["TASK_STATE", undefined],
    ]);
    expect(before.messages[1]).toMatchObject({
      parents: ["m1"],
      links: ["https://example.org/x"],
      body: "---\nhalf\n",
    });
    post(path, "new");
    appendFileSync(path, `\n---\nmsg_id: MSG-1\ntype: INFO\nproject_id: p\n---\ntheirs\n`);
    appendFileSync(path, readFileSync(old)); // by a host of before that still runs
    const read = bodies(path);
    expect(read).toHaveLength(8); // of the lifecycle's records the first ones stand
    expect(read.slice(4, 6)).toEqual(["new", "theirs"]);
    expect(bodies(path, { since: before.cursor, limit: 1 })).toEqual(["new"]);
    expect(bodies(path, { limit: 20 })).toEqual(read);
    expect(readLifecycle(path)).toHaveLength(4);
  });
});

test("300 files of ours, theirs, torn ones and garbage: each whole message of ours is read, in any pieces", () => {
  const next = random(7);
  const one = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const lines = [
    "---",
    " ---",
    "---\r",
    "{",
    '{"msg_id":"x","bytes":3,"crc":"00000000"}',
    "msg_id: MSG-1",
    "{}",
    "text",
    "",
  ];
  const words = () => Array.from({ length: Math.floor(next() * 6) }, () => one(lines)).join("\n");
  const garbage = ["garbage", "\n---", "\n---\nmsg_id: MSG-x\nty", '\n{"id":"m1","type":"IN', '\n---\n{"msg_id":"m'];
  for (let round = 0; round < 300; round += 1) {
    const path = newBus();
    post(path, "first");
    const ours = ["first"];
    for (let n = 0; n < 8; n += 1) {
      const { size } = statSync(path);
      const body = words();
      switch (one(["ours", "ours", "theirs", "torn", "garbage"])) {
        case "ours":
          ours.push(body);
          post(path, body);
          break;
        case "theirs":
          appendFileSync(path, `\n---\nmsg_id: MSG-${n}\ntype: INFO\nproject_id: p\n---\nplain ${n}\n`);
          break;
        case "torn":
          post(path, `${body} torn`);
          truncateSync(path, size + Math.floor(next() * (statSync(path).size - size - 1)));
          break;
        default:
          appendFileSync(path, one(garbage));
      }
    }
    const { messages } = readMessages(path);
    expect(messages.filter(({ unverified }) => !unverified).map(({ body }) => body)).toEqual(ours);
    const bytes = readFileSync(path);
    const decoder = new BusDecoder(0);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, n) =>
      decoder.push(bytes.subarray(n * 7, (n + 1) * 7)),
    );
    expect([...pieces.flat(), ...decoder.settle()]).toEqual(messages);
  }
});
