import { isObject } from "../../core/protocols/read.ts";
import { type Line, LineSplitter } from "../../lib/text/lines.ts";
import type { Figures, Meter, MeterContext } from "./figures.ts";
import { claudeMeter } from "./meters/claude.ts";
import { codexMeter } from "./meters/codex.ts";
import { cursorMeter } from "./meters/cursor.ts";
import { geminiMeter } from "./meters/gemini.ts";
import { opencodeMeter } from "./meters/opencode.ts";

const meters: Readonly<Record<string, (context: MeterContext) => Meter>> = {
  "claude-code": claudeMeter,
  codex: codexMeter,
  gemini: geminiMeter,
  opencode: opencodeMeter,
  cursor: cursorMeter,
};

/** Takes the bytes of a stream as they come. What is no JSON is somebody else's line: a warning, a banner, a tool's noise. */
export class StreamMeter {
  readonly #meter: Meter | undefined;
  readonly #lines = new LineSplitter();

  /** An agent type that nobody here knows has no figures. */
  constructor(type: string | undefined, context: MeterContext) {
    const make = type !== undefined && Object.hasOwn(meters, type) ? meters[type] : undefined;
    this.#meter = make?.(context);
  }

  push(chunk: Uint8Array): void {
    if (this.#meter !== undefined) this.#take(this.#lines.push(chunk));
  }

  /** No more will come. */
  end(): Figures {
    this.#take(this.#lines.end());
    return this.#meter?.read() ?? { abnormal: false };
  }

  #take(lines: readonly Line[]): void {
    for (const line of lines) {
      const message = "text" in line ? parse(line.text) : undefined;
      if (message !== undefined && "text" in line) this.#meter?.take(message, line.text);
    }
  }
}

function parse(text: string) {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
