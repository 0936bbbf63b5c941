import { closeSync, constants, openSync, readSync } from "node:fs";
import { constants as os } from "node:os";
import type { ReadStream } from "node:tty";
import { AppError, messageOf } from "../../../contract/errors.ts";
import { type Exit, exitOf } from "../exit.ts";
import { factsOf, foregroundGroup } from "../holders/identity.ts";
import { Ladder, type Marker, send } from "../stop.ts";
import { withCallersUmask } from "../umask.ts";
import { Keyboard } from "./keyboard.ts";

export interface PtySpec {
  /** Absolute. */
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  cols: number;
  rows: number;
  /** Words for `stty`: how the terminal is set before the program begins. */
  modes: readonly string[];
  /** A file for the program's stderr, which else is the terminal as well. */
  stderrPath?: string;
  marker: Marker;
  onData(chunk: Buffer): void;
}

export interface Pty {
  /** Of the shell that leads the session; the program is its child. */
  readonly pid: number;
  readonly startTime: string;
  /** Never rejects. Comes when the program has ended and its last byte was handed over. */
  readonly exited: Promise<Exit>;
  /** What is typed. It waits until the program has room for it; once that has ended it goes nowhere. */
  write(data: Uint8Array): void;
  resize(cols: number, rows: number): void;
  /** Whoever shows it can't keep up: the program is made to wait, as a slow terminal would. */
  pause(): void;
  resume(): void;
  /** To what is in the foreground there. */
  signal(signal: NodeJS.Signals): void;
  /** Whether it was suspended, by itself or by Ctrl-Z, and waits to be continued. */
  isSuspended(): boolean;
  continue(): void;
  stop(graceMs: number): Promise<Exit>;
}

/** A program on a terminal of its own, in a session of its own: job control works in it as on any other. */
export async function startPty(spec: PtySpec): Promise<Pty> {
  const terminal = await fork(spec);
  // While somebody has the terminal's other side open, nothing ends the stream before we have read all of it: the kernel's
  // hang-up makes Node drop what a program wrote just before it exited (81 of 200 runs).
  const held = openSync(terminal._pty, constants.O_RDWR | constants.O_NOCTTY);
  const { _socket: stream, _fd: fd, pid } = terminal;
  // Else it would wait 200 ms for the stream to end by itself, and then drop what nobody has read.
  terminal._emittedClose = true;
  const keyboard = new Keyboard(fd);
  const prelude = new Prelude(() => keyboard.open());
  const onData = (chunk: Buffer) => {
    const rest = prelude.strip(chunk);
    if (rest.length > 0) spec.onData(rest);
  };
  let running = true;
  const hangUp = () => {
    stream.destroy();
    closeSync(held);
  };

  stream.on("data", onData);
  stream.on("error", () => {}); // EIO when the other side is gone; its exit says why
  const exited = new Promise<Exit>((resolve) => {
    stream.once("exit", (code: number, signal: number) => {
      running = false;
      stream.off("data", onData);
      for (const chunk of leftovers(stream, fd)) onData(chunk);
      void keyboard.close().then(hangUp);
      resolve(exitOf(code, signalName(signal)));
    });
  });
  let ladder: Ladder | undefined;

  return {
    pid,
    startTime: factsOf(pid)?.start ?? "",
    exited,
    write: (data) => keyboard.type(data),
    resize: (cols, rows) => {
      if (running) terminal.resize(cols, rows);
    },
    pause: () => stream.pause(),
    resume: () => {
      if (running) stream.resume();
    },
    signal: (signal) => {
      if (running) send(-(foregroundGroup(pid) ?? pid), signal);
    },
    isSuspended: () => running && factsOf(pid)?.stopped === true,
    continue: () => {
      if (running) send(pid, "SIGCONT");
    },
    async stop(graceMs) {
      ladder ??= new Ladder(spec.marker, { pid, isLed: () => running, exited });
      await ladder.stop(graceMs);
      return exited;
    },
  };
}

/** What we need of it beyond its public face. The version is pinned, and tests notice when one of these is gone. */
interface Terminal {
  readonly pid: number;
  resize(cols: number, rows: number): void;
  readonly _fd: number;
  readonly _pty: string;
  readonly _socket: ReadStream;
  _emittedClose: boolean;
}

/**
 * A shell leads the terminal's session, as one does where a person types: without it nobody could suspend the program, since
 * the kernel suspends nothing that no shell looks after. It sets the modes and says so with one byte, before the program can
 * do anything; its own messages go nowhere. When the program is suspended, so is it, which is how we notice; continued, it
 * continues the program. It dies as the program did, and with the terminal: only then does the kernel tell the program.
 */
const LEADER = `modes=$1 stderr=$2; shift 2
[ -z "$modes" ] || stty $modes
exec 3>&2 2>/dev/null
[ -z "$stderr" ] || exec 3>>"$stderr"
trap : INT TERM
set -m
printf '\\006'
"$@" 2>&3 3>&-
code=$?
while kill -0 %%; do
  kill -STOP $$
  fg %% >/dev/null
  code=$?
done
case $code in
  129|130|131|134|137|139|141|142|143)
    trap - INT TERM
    ulimit -c 0
    kill -$((code - 128)) $$ ;;
esac
exit $code`;
const READY = 6;

/** Takes that byte out. What is typed before it would be echoed by a terminal that should not. */
class Prelude {
  readonly #ready: () => void;
  #over = false;

  constructor(ready: () => void) {
    this.#ready = ready;
  }

  strip(chunk: Buffer): Buffer {
    const at = this.#over ? -1 : chunk.indexOf(READY);
    if (at === -1) return chunk;
    this.#over = true;
    this.#ready();
    return Buffer.concat([chunk.subarray(0, at), chunk.subarray(at + 1)]);
  }
}

async function fork({ file, args, cwd, env, cols, rows, modes, marker, stderrPath = "" }: PtySpec): Promise<Terminal> {
  const { spawn } = await load();
  try {
    const argv = ["-c", LEADER, "cox", modes.join(" "), stderrPath, file, ...args];
    const options = { cwd, env: { ...env, [marker.name]: marker.value }, cols, rows, encoding: null };
    const terminal: unknown = withCallersUmask(() => spawn("/bin/sh", argv, options));
    return terminal as Terminal;
  } catch (error) {
    throw new AppError("limit.exceeded", `open a terminal: ${messageOf(error)}`, {}, { cause: error });
  }
}

async function load(): Promise<typeof import("@lydell/node-pty")> {
  try {
    return await import("@lydell/node-pty");
  } catch (error) {
    const message = `open a terminal: there is no build of @lydell/node-pty for ${process.platform}-${process.arch}; it needs glibc on Linux, or macOS`;
    throw new AppError("platform.unsupported", message, {}, { cause: error });
  }
}

/** What the stream had taken and not handed over, then what the kernel still has. */
function* leftovers(stream: ReadStream, fd: number): Generator<Buffer> {
  stream.pause();
  for (let chunk: unknown = stream.read(); chunk !== null; chunk = stream.read()) yield chunk as Buffer;
  for (;;) {
    const buffer = Buffer.allocUnsafe(SLICE_BYTES);
    let count: number;
    try {
      count = readSync(fd, buffer);
    } catch {
      return; // EAGAIN: that was all. EIO: the other side is gone, with nothing left.
    }
    if (count === 0) return;
    yield buffer.subarray(0, count);
  }
}

const SLICE_BYTES = 64 * 1024;

function signalName(number: number): NodeJS.Signals | null {
  for (const [name, value] of Object.entries(os.signals)) if (value === number) return name as NodeJS.Signals;
  return null;
}
