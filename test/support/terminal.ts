import { onTestFinished } from "vitest";
import type { Exit } from "../../src/lib/process/exit.ts";
import { startPty } from "../../src/lib/process/terminal/pty.ts";

/** A person's terminal: what is typed, what is shown, how large it is. */
export interface PersonsTerminal {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  type(keys: string): void;
  resize(cols: number, rows: number): void;
  signal(signal: NodeJS.Signals): void;
  /** Everything shown so far, byte by byte. */
  bytes(): Buffer;
  /** Resolves when this has been shown since something was typed last. */
  shows(pattern: RegExp): Promise<void>;
}

let number = 0;

export async function openTerminal(
  argv: readonly [string, ...string[]],
  options: { cwd: string; env: NodeJS.ProcessEnv; cols?: number; rows?: number },
): Promise<PersonsTerminal> {
  const chunks: Buffer[] = [];
  const waiting = new Set<() => void>();
  let typedAt = 0;
  const bytes = () => Buffer.concat(chunks);
  number += 1;
  const [file, ...args] = argv;
  const given = Object.entries({ TERM: "xterm-256color", ...options.env });
  const pty = await startPty({
    file,
    args,
    cwd: options.cwd,
    env: Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    cols: options.cols ?? 100,
    rows: options.rows ?? 30,
    modes: ["sane", "iutf8"],
    marker: { name: "TEST_TERMINAL", value: `${process.pid}-${number}` },
    onData: (chunk) => {
      chunks.push(Buffer.from(chunk));
      for (const look of waiting) look();
    },
  });
  onTestFinished(async () => void (await pty.stop(0)));
  return {
    pid: pty.pid,
    exited: pty.exited,
    type(keys) {
      typedAt = bytes().length;
      pty.write(Buffer.from(keys));
    },
    resize: (cols, rows) => pty.resize(cols, rows),
    signal: (signal) => pty.signal(signal),
    bytes,
    shows: (pattern) =>
      new Promise((resolve) => {
        const look = () => {
          if (!pattern.test(bytes().subarray(typedAt).toString("utf8"))) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}
