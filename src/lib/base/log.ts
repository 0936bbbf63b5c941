import { printableJson } from "../text/printable.ts";

/** A log is JSON lines for whoever runs the program. What an agent does is never here: that is an event. */
export type Level = "debug" | "info" | "warn" | "error";
export type Fields = Readonly<Record<string, unknown>>;

export type Log = Record<Level, (message: string, fields?: Fields) => void>;

export interface LogOptions {
  /** Takes one line, newline included. */
  sink: (line: string) => void;
  level: Level;
  now: () => number;
  /** Applied to the finished line, so that no field can slip by. */
  redact?: (text: string) => string;
}

export function createLog(options: LogOptions): Log {
  const { sink, now, redact = (text) => text } = options;
  const write = (level: Level) => {
    if (ORDER.indexOf(level) < ORDER.indexOf(options.level)) return () => {};
    return (message: string, fields: Fields = {}) => {
      const head = { at: new Date(now()).toISOString(), level, message };
      // Twice: first in the line, and not to be overwritten by a field of the same name.
      sink(`${redact(toJson({ ...head, ...fields, ...head }))}\n`);
    };
  };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

const ORDER: readonly Level[] = ["debug", "info", "warn", "error"];

/** Whoever logs is often dealing with an error already: logging must not throw a second one. */
function toJson(line: { at: string; level: Level; message: string }): string {
  try {
    return printableJson(line, readable); // often read on a terminal, and what it quotes may be anybody's
  } catch (error) {
    const { at, level, message } = line;
    return printableJson({ at, level, message, unloggable: String(error) });
  }
}

function readable(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { name, message, code: "code" in value ? value.code : undefined, stack, cause };
}
