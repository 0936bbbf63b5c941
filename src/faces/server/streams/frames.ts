import { seqOf, typeAt } from "../../../core/store/events/event-bytes.ts";

export interface Framing {
  /** Named on each event, and then no id: on streams of several runs. Without it the id is the event's number. */
  event?: string;
  /** Only these. */
  types?: ReadonlySet<string>;
}

export interface Frames {
  bytes: Buffer;
  /** How many events they are. */
  count: number;
}

/** Lines of an event log as server-sent events. Nothing is parsed: the lines are copied, with a few bytes around each. */
export function frameEvents(lines: Buffer, { event, types }: Framing = {}): Frames {
  const head = event === undefined ? ID : Buffer.from(`event: ${event}\ndata: `);
  let out: Buffer = Buffer.allocUnsafe(lines.length + (lines.length >> 1) + 1024);
  let at = 0;
  let from = 0;
  let count = 0;
  for (let to = lines.indexOf(LF); to !== -1; to = lines.indexOf(LF, from)) {
    const start = from;
    from = to + 1;
    if (to === start || seqOf(lines, start, to) === 0) continue;
    if (types !== undefined && !types.has(typeOf(lines, start, to))) continue;
    const needed = at + (to - start) + head.length + MARGIN;
    if (needed > out.length) out = grown(out, at, needed);
    for (let i = 0; i < head.length; i += 1) out[at++] = head[i] as number;
    if (event === undefined) {
      for (let i = start + SEQ_AT; lines[i] !== COMMA; i += 1) out[at++] = lines[i] as number;
      for (let i = 0; i < DATA.length; i += 1) out[at++] = DATA[i] as number;
    }
    at += lines.copy(out, at, start, to);
    out[at++] = LF;
    out[at++] = LF;
    count += 1;
  }
  return { bytes: out.subarray(0, at), count };
}

/** Something said by the stream itself. */
export function frameControl(event: "live" | "end", id: string): Frames {
  return { bytes: Buffer.from(`event: ${event}\nid: ${id}\ndata: {}\n\n`), count: 0 };
}

/** Without an id: one goes on from the last one had. */
const frameReset = (why: string) =>
  Buffer.from(`event: reset\ndata: {"reason":"${why}; connect again, from your last id"}\n\n`);

export const TOO_SLOW = frameReset("you read too slowly");
export const CUT_OFF = frameReset("the server could not follow all of it");
export const HEARTBEAT = Buffer.from(":\n\n");

export function frameJson(event: string, ...jsons: readonly string[]): Frames {
  const text = jsons.map((json) => `event: ${event}\ndata: ${json}\n\n`).join("");
  return { bytes: Buffer.from(text), count: jsons.length };
}

/** A batch whose last event bears the cursor: from there one can go on. */
export function withCursor(parts: readonly Frames[], cursor: string): Frames {
  const frames = parts.filter(({ count }) => count > 0);
  const last = frames.pop();
  if (last === undefined) return { bytes: Buffer.alloc(0), count: 0 };
  const bytes = frames.map((part) => part.bytes);
  const end = [last.bytes.subarray(0, last.bytes.length - 1), Buffer.from(`id: ${cursor}\n\n`)];
  return {
    bytes: Buffer.concat([...bytes, ...end]),
    count: frames.reduce((sum, { count }) => sum + count, last.count),
  };
}

function typeOf(lines: Buffer, from: number, to: number): string {
  const type = typeAt(lines, from, to);
  if (type !== undefined) return type;
  try {
    return String((JSON.parse(lines.toString("utf8", from, to)) as { type?: unknown }).type);
  } catch {
    return "";
  }
}

function grown(out: Buffer, used: number, needed: number): Buffer {
  const larger = Buffer.allocUnsafe(needed * 2);
  out.copy(larger, 0, 0, used);
  return larger;
}

const ID = Buffer.from("id: ");
const DATA = Buffer.from("\ndata: ");
/** Behind `{"seq":`. */
const SEQ_AT = 7;
const COMMA = 44;
const LF = 10;
/** Digits of an id, and the newlines. */
const MARGIN = 64;
