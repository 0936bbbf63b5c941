import { StringDecoder } from "node:string_decoder";

/** A recorded terminal as asciinema plays it: asciicast v2, a header and then one line of JSON per event. */
export interface CastHeader {
  width: number;
  height: number;
  /** Seconds since 1970. */
  timestamp: number;
  command?: string;
  title?: string;
  env?: Readonly<Record<string, string>>;
}

/** What was printed, or the terminal's new size; `time` is in seconds since the beginning. */
export type CastEvent =
  | { time: number; type: "output"; text: string }
  | { time: number; type: "resize"; width: number; height: number };

export function castHeader({ width, height, ...rest }: CastHeader): string {
  return `${JSON.stringify({ version: 2, width, height, ...rest })}\n`;
}

export const castResize = (time: number, cols: number, rows: number): string => line(time, "r", `${cols}x${rows}`);

/**
 * The format is text: a character that comes in two pieces waits for its rest, and bytes that are none become U+FFFD. With
 * `bareLines` the output was made for a file: a player needs the carriage returns that a terminal would have added.
 */
export class CastOutput {
  readonly #decoder = new StringDecoder("utf8");
  readonly #bareLines: boolean;

  constructor({ bareLines = false } = {}) {
    this.#bareLines = bareLines;
  }

  output(time: number, chunk: Buffer): string {
    return this.#line(time, this.#decoder.write(chunk));
  }

  /** The piece of a character that never got its rest. */
  end(time: number): string {
    return this.#line(time, this.#decoder.end());
  }

  #line(time: number, text: string): string {
    if (text === "") return "";
    return line(time, "o", this.#bareLines ? text.replace(/\r?\n/g, "\r\n") : text);
  }
}

const line = (time: number, code: "o" | "r", data: string) => `${JSON.stringify([round(time), code, data])}\n`;
const round = (time: number) => Math.round(time * 1e6) / 1e6;

/** `undefined` when this is not the first line of a recording. */
export function parseCastHeader(text: string): CastHeader | undefined {
  const header = parse(text);
  if (typeof header !== "object" || header === null) return undefined;
  const { version, width, height, timestamp } = header as Partial<CastHeader> & { version?: unknown };
  if (version !== 2 || typeof width !== "number" || typeof height !== "number") return undefined;
  return { ...(header as CastHeader), timestamp: timestamp ?? 0 };
}

/** `undefined` for events that change nothing on the screen, and for a line that a crash cut off. */
export function parseCastEvent(text: string): CastEvent | undefined {
  const event = parse(text);
  if (!Array.isArray(event)) return undefined;
  const [time, code, data]: unknown[] = event;
  if (typeof time !== "number" || typeof data !== "string") return undefined;
  if (code === "o") return { time, type: "output", text: data };
  const [, width, height] = (code === "r" && /^(\d+)x(\d+)$/.exec(data)) || [];
  return width === undefined ? undefined : { time, type: "resize", width: Number(width), height: Number(height) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
