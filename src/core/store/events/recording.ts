import { closeSync, constants, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { AppError } from "../../../contract/errors.ts";
import { diskError } from "../../../lib/files/disk-error.ts";
import { openJournal } from "../../../lib/files/journal-line.ts";
import { type CastHeader, CastOutput, castHeader, castResize, parseCastHeader } from "../../../lib/text/asciicast.ts";
import { TerminalText } from "../../../lib/text/terminal-text.ts";
import type { RunPaths } from "../runs/run-directory.ts";

/**
 * A terminal as it was seen: the exact bytes in agent-stdout.txt, and with their times in terminal.cast, which is text. What is
 * typed is not recorded: it may be a password.
 */
export class Recording {
  readonly #paths: RunPaths;
  readonly #stdout: number;
  readonly #cast: number;
  readonly #output: CastOutput;
  #bytes = 0;

  constructor(paths: RunPaths, header: CastHeader, options: { bareLines?: boolean } = {}) {
    this.#paths = paths;
    this.#output = new CastOutput(options);
    this.#stdout = openJournal(paths.stdout);
    this.#cast = openJournal(paths.cast);
    this.#append(castHeader(header));
  }

  /** `time` is in seconds since the beginning. Throws when the disk takes no more. */
  output(time: number, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_BYTES) {
      throw new AppError("limit.exceeded", `record the terminal: more than ${MAX_BYTES / 1024 ** 3} GB were printed`);
    }
    write(this.#stdout, chunk, this.#paths.stdout);
    this.#append(this.#output.output(time, chunk));
  }

  resize(time: number, cols: number, rows: number): void {
    this.#append(castResize(time, cols, rows));
  }

  close(time: number): void {
    try {
      this.#append(this.#output.end(time));
    } finally {
      closeSync(this.#stdout);
      closeSync(this.#cast);
    }
  }

  #append(line: string): void {
    if (line !== "") write(this.#cast, Buffer.from(line), this.#paths.cast);
  }
}

const MAX_BYTES = 2 * 1024 ** 3;

/** One write per line, so that a crash cuts off the last one at most. */
function write(fd: number, bytes: Buffer, path: string): void {
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
  } catch (error) {
    throw diskError("record the terminal", path, error);
  }
}

/** output.md of a recorded terminal: what was printed, without what only a terminal understands. */
export function copyReadable({ stdout, output, cast }: RunPaths): void {
  const terminal = new TerminalText(heightOf(cast));
  const decoder = new StringDecoder("utf8");
  const part = `${output}.part`;
  rmSync(part, { force: true }); // of a process that died while it did the same
  const fd = openSync(part, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    for (const chunk of slices(stdout)) write(fd, Buffer.from(terminal.write(decoder.write(chunk))), part);
    write(fd, Buffer.from(terminal.write(decoder.end()) + terminal.end()), part);
    renameSync(part, output);
  } finally {
    closeSync(fd);
  }
}

function heightOf(cast: string): number {
  const [head] = slices(cast);
  return parseCastHeader(head?.toString("utf8").split("\n")[0] ?? "")?.height ?? 24;
}

function* slices(path: string): Generator<Buffer> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const slice = Buffer.allocUnsafe(256 * 1024);
    for (let count = readSync(fd, slice); count > 0; count = readSync(fd, slice)) yield slice.subarray(0, count);
  } finally {
    closeSync(fd);
  }
}
