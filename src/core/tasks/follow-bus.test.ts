import { once } from "node:events";
import { closeSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { acknowledged, numbersTo, startWriter, Tallies } from "../../../test/support/bus-writers.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { BusMessage } from "../../contract/bus.ts";
import { openJournal } from "../../lib/files/journal-line.ts";
import { appendMessage, busBlobs } from "../store/bus/bus.ts";
import { readMessages } from "../store/bus/bus-reader.ts";
import { followBus } from "./follow-bus.ts";

function newBus(): string {
  const path = join(temporaryFolder(), "TASK-MESSAGE-BUS.md");
  closeSync(openJournal(path));
  return path;
}

const post = (path: string, body: string) => appendMessage(path, { type: "INFO", project: "p", body }, 0);

/** Reads until `count` messages came. */
async function take(path: string, count: number, since?: string): Promise<{ bodies: unknown[]; cursor: string }> {
  const bodies: unknown[] = [];
  for await (const page of followBus(path, { since })) {
    bodies.push(...page.messages.map(({ body }) => body));
    if (bodies.length >= count) return { bodies, cursor: page.cursor };
  }
  throw new Error("the stream ended");
}

test("what is posted from now on, or since a cursor", async () => {
  const path = newBus();
  post(path, "old");
  const fresh = take(path, 1);
  const all = take(path, 2, "0");
  await new Promise((resolve) => setImmediate(resolve));
  post(path, "new");
  expect((await fresh).bodies).toEqual(["new"]);
  const { bodies, cursor } = await all;
  expect(bodies).toEqual(["old", "new"]);
  post(path, "next");
  expect((await take(path, 1, cursor)).bodies).toEqual(["next"]);
});

test("ends when it is told to", async () => {
  const stop = new AbortController();
  const stream = followBus(newBus(), { signal: stop.signal })[Symbol.asyncIterator]();
  const next = stream.next();
  stop.abort();
  expect(await next).toEqual({ done: true, value: undefined });
});

test("four writers of large and small messages: a follower reads each once, in its writer's order", {
  timeout: 60_000,
}, async () => {
  const path = join(temporaryFolder(), "p", "t", "TASK-MESSAGE-BUS.md");
  mkdirSync(dirname(path), { recursive: true });
  closeSync(openJournal(path));
  const count = 200;
  const names = ["a", "b", "c", "d"];
  const acks = (name: string) => join(dirname(path), `acks-${name}`);
  const ends = names.map((name) => once(startWriter({ bus: path, acks: acks(name), name, count }), "exit"));
  const tallies = new Tallies();
  const large: BusMessage[] = [];
  for await (const { messages, damaged } of followBus(path, { since: "0" })) {
    expect(damaged).toBe(0);
    for (const message of messages) {
      tallies.add(message);
      if (typeof message.body === "object") large.push(message);
    }
    if (tallies.count >= names.length * count) break;
  }
  expect(await Promise.all(ends)).toEqual(names.map(() => [0, null]));
  for (const name of names) {
    expect(acknowledged(acks(name))).toEqual(numbersTo(count));
    expect(tallies.of(name)).toEqual(numbersTo(count));
  }
  expect(large.length).toBeGreaterThan(20);
  for (const { body } of large) {
    if (typeof body !== "object") throw new Error("expected a reference");
    const text = busBlobs(path).read(body.sha256);
    expect(text.length).toBe(body.bytes);
    expect(text.toString().startsWith(body.head)).toBe(true);
  }
  expect(readMessages(path).messages).toHaveLength(names.length * count);
  expect(readFileSync(path).at(-1)).toBe(10);
});
