import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/contract/events.ts";
import { openLogReader, readableProtocols } from "../../src/core/protocols/log-reader.ts";
import { LineSplitter } from "../../src/lib/text/lines.ts";
import { random } from "../support/random.ts";
import { readTranscript, transcriptNames } from "../support/transcript.ts";

const STREAMS = 100_000;
/** Of computing: what else the machine does is not their affair. */
const LIMIT_MS = 60_000;
const MEMORY = 300 * 1024 * 1024;
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_115);

const prefixes: Record<string, string[]> = {
  acp: ["acp-", "gemini-acp-"],
  "claude-code": ["claude-"],
  codex: ["codex-appserver"],
  "codex-exec": ["codex-exec"],
  gemini: ["gemini-f", "gemini-r", "gemini-t"],
  opencode: ["opencode-run"],
};

type Mutation = (bytes: Buffer, next: () => number) => Buffer;
const at = (bytes: Buffer, next: () => number) => Math.floor(next() * (bytes.length + 1));
const insert = (bytes: Buffer, where: number, what: Buffer) =>
  Buffer.concat([bytes.subarray(0, where), what, bytes.subarray(where)]);

const deep = Buffer.from(`\n{"type":"assistant","message":${"[".repeat(100_000)}${"]".repeat(100_000)}}\n`);
const noise = Buffer.from("\nWarning: something happened\n[1;31mred[0m\n");

const mutations: Record<string, Mutation> = {
  nothing: (bytes) => bytes,
  "cut anywhere": (bytes, next) => bytes.subarray(0, at(bytes, next)),
  "begin anywhere": (bytes, next) => bytes.subarray(at(bytes, next)),
  "flip a bit": (bytes, next) => {
    const copy = Buffer.from(bytes);
    for (let i = 0; i < 5 && copy.length > 0; i += 1) {
      const where = Math.floor(next() * copy.length);
      copy[where] = (copy[where] ?? 0) ^ (1 << Math.floor(next() * 8));
    }
    return copy;
  },
  CRLF: (bytes) => Buffer.from(bytes.toString("latin1").replaceAll("\n", "\r\n"), "latin1"),
  BOM: (bytes, next) => insert(bytes, next() < 0.5 ? 0 : at(bytes, next), Buffer.from([0xef, 0xbb, 0xbf])),
  NUL: (bytes, next) => insert(bytes, at(bytes, next), Buffer.alloc(3)),
  "invalid UTF-8": (bytes, next) => insert(bytes, at(bytes, next), Buffer.from([0xff, 0xfe, 0xc0])),
  "lone surrogate": (bytes, next) => insert(bytes, at(bytes, next), Buffer.from("\\ud800")),
  "noise between lines": (bytes, next) => insert(bytes, bytes.indexOf(10, at(bytes, next)) + 1, noise),
  "lines in another order": (bytes, next) => {
    const lines = bytes.toString().split("\n");
    return Buffer.from(
      lines
        .map((line) => ({ line, key: next() }))
        .sort((a, b) => a.key - b.key)
        .map(({ line }) => line)
        .join("\n"),
    );
  },
  "lines repeated": (bytes, next) =>
    Buffer.from(
      bytes
        .toString()
        .split("\n")
        .flatMap((line) => (next() < 0.2 ? [line, line] : [line]))
        .join("\n"),
    ),
  "a value of another type": (bytes, next) => {
    const text = bytes.toString();
    const strange = ["null", "0", '"x"', "[]", "{}", "true", "-1e308", '{"__proto__":{"polluted":1}}'];
    const found = [...text.matchAll(/:("(?:[^"\\]|\\.)*"|-?\d+|true|false|null)/g)];
    const hit = found[Math.floor(next() * found.length)];
    if (hit === undefined) return bytes;
    const to = strange[Math.floor(next() * strange.length)] ?? "null";
    return Buffer.from(`${text.slice(0, hit.index)}:${to}${text.slice(hit.index + hit[0].length)}`);
  },
};

/** Fed in chunks cut anywhere, as a pipe would. */
function feed(reader: Awaited<ReturnType<typeof openLogReader>>, bytes: Buffer, next: () => number): AgentEvent[] {
  const splitter = new LineSplitter();
  const events: AgentEvent[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = Math.min(bytes.length, from + 1 + Math.floor(next() * 4096));
    for (const line of splitter.push(bytes.subarray(from, to))) events.push(...reader.read(line));
    from = to;
  }
  for (const line of splitter.end()) events.push(...reader.read(line));
  events.push(...reader.end("the stream ends here"));
  return events;
}

function expectSane(events: readonly AgentEvent[], note: string): void {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === "turn_started") open.add(event.turn);
    if (event.type === "complete") {
      if (!open.delete(event.turn)) throw new Error(`${note}: ${event.turn} completed twice or never begun`);
    }
  }
  if (open.size > 0) throw new Error(`${note}: ${[...open].join()} never completed`);
}

describe("hostile streams", () => {
  test(`${STREAMS} of them: no throw, every turn ends once, memory stays`, { timeout: LIMIT_MS * 10 }, async () => {
    const next = random(SEED);
    const sources = readableProtocols.flatMap((protocol) =>
      transcriptNames(...(prefixes[protocol] ?? [])).map((name) => {
        const received = readTranscript<object>(name).filter((frame) => frame.dir === "received");
        return { protocol, name, lines: received.map((frame) => JSON.stringify(frame.message)) };
      }),
    );
    const kinds = Object.entries(mutations);
    const begin = process.cpuUsage();
    for (let i = 0; i < STREAMS; i += 1) {
      const source = sources[i % sources.length];
      const [kind, mutate] = kinds[Math.floor(i / sources.length) % kinds.length] ?? kinds[0] ?? ["", (b: Buffer) => b];
      if (source === undefined) throw new Error("no transcripts");
      // A window of the recording: short streams make many, and every part of each is met.
      const from = Math.floor(next() * source.lines.length);
      const bytes = Buffer.from(
        source.lines
          .slice(from, from + 25)
          .map((line) => `${line.slice(0, 20_000)}\n`)
          .join(""),
      );
      const note = `seed ${SEED}, stream ${i}, ${source.name}, ${kind}`;
      try {
        expectSane(feed(await openLogReader(source.protocol), mutate(bytes, next), next), note);
      } catch (error) {
        throw new Error(note, { cause: error });
      }
    }
    const { user, system } = process.cpuUsage(begin);
    const took = (user + system) / 1000;
    console.log(`${STREAMS} streams in ${Math.round(took / 1000)} s`);
    expect(took).toBeLessThan(LIMIT_MS);
    expect(process.memoryUsage().rss).toBeLessThan(MEMORY + 400 * 1024 * 1024);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test.each(readableProtocols)("%s: 64 MB in a line, JSON of depth 100,000", async (protocol) => {
    const reader = await openLogReader(protocol);
    const huge = Buffer.alloc(64 * 1024 * 1024, 120);
    const before = process.memoryUsage().rss;
    const events = feed(reader, Buffer.concat([huge, Buffer.from("\n"), deep, Buffer.from("not json\n")]), () => 0.999);
    expect(events.filter((event) => event.type === "unmapped" && event.why === "oversized")).toHaveLength(1);
    expect(
      events.filter((event) => event.type === "unmapped" && event.why === "unparsed").length,
    ).toBeGreaterThanOrEqual(1);
    for (const event of events) expect(() => JSON.stringify(event)).not.toThrow();
    expect(process.memoryUsage().rss - before).toBeLessThan(MEMORY);
  });
});
