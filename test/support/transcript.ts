import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { AgentEvent } from "../../src/contract/events.ts";
import type { Frame, Translator } from "../../src/contract/sessions/session.ts";

const transcripts = join(import.meta.dirname, "../transcripts");
const golden = join(import.meta.dirname, "../golden");

/** Names (without .jsonl) of the recorded wire traffic that begins with one of the prefixes. */
export function transcriptNames(...prefixes: string[]): string[] {
  return readdirSync(transcripts)
    .filter((name) => name.endsWith(".jsonl") && prefixes.some((prefix) => name.startsWith(prefix)))
    .map((name) => name.slice(0, -".jsonl".length))
    .sort();
}

/** The frames of one recording in order; "in" is what was sent to the agent, "out" what it said on stdout. */
export function readTranscript<Message>(name: string): Frame<Message>[] {
  const frames: Frame<Message>[] = [];
  for (const line of readFileSync(join(transcripts, `${name}.jsonl`), "utf8").split("\n")) {
    if (line === "") continue;
    const record: { dir?: string; msg?: unknown } = JSON.parse(line);
    if (typeof record.msg !== "object" || record.msg === null) continue;
    if (record.dir === "in") frames.push({ dir: "sent", message: record.msg as Message });
    if (record.dir === "out") frames.push({ dir: "received", message: record.msg as Message });
  }
  return frames;
}

/** Everything a translator makes of the frames, `finish` included. Each event must match the contract's schema. */
export function translateAll<Message, State>(
  translator: Translator<Message, State>,
  frames: readonly Frame<Message>[],
): AgentEvent[] {
  let state = translator.initial();
  const events: AgentEvent[] = [];
  for (const frame of frames) {
    const [next, out] = translator.step(state, frame);
    state = next;
    events.push(...out);
  }
  events.push(...translator.finish(state, "the recording ends here"));
  for (const event of events) AgentEvent.parse(event);
  return events;
}

/** Compares with test/golden/<name>.jsonl. UPDATE_GOLDEN=1 writes it anew; read the diff before you commit it. */
export function expectGolden(name: string, events: readonly AgentEvent[]): void {
  const file = join(golden, `${name}.jsonl`);
  const text = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  if (process.env.UPDATE_GOLDEN === "1") writeFileSync(file, text);
  expect(existsSync(file), `${file} is missing: run with UPDATE_GOLDEN=1`).toBe(true);
  expect(text).toBe(readFileSync(file, "utf8"));
}

/** What holds for every recording of every agent. */
export function expectSound(events: readonly AgentEvent[]): void {
  const started = events.filter((event) => event.type === "turn_started").map((event) => event.turn);
  const completed = events.filter((event) => event.type === "complete").map((event) => event.turn);
  expect(completed, "exactly one complete per turn").toEqual(started);
  expect(events.filter((event) => event.type === "unmapped")).toEqual([]);
}
