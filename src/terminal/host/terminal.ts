import { constants } from "node:os";
import { AppError } from "../../contract/errors.ts";
import { Broadcast } from "../../core/screens/broadcast.ts";
import type { Console } from "../../core/screens/console.ts";
import type { Cast } from "../../core/screens/recording.ts";
import { Screen } from "../../core/screens/screen.ts";
import type { Clock } from "../../lib/base/clock.ts";
import type { Exit } from "../../lib/process/exit.ts";
import { foregroundGroup } from "../../lib/process/holders/identity.ts";
import { type Pty, startPty } from "../../lib/process/terminal/pty.ts";
import { ByteRing } from "./ring.ts";

export interface ProgramSpec {
  /** Absolute. */
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  marker: { name: string; value: string };
}

/** One terminal for one program after the other: its bytes, its screen, its keys. */
export class Terminal implements Console {
  readonly ring: ByteRing;
  readonly screen: Screen;
  /** There is more in the ring. */
  readonly output = new Broadcast<Buffer>();
  readonly #clock: Clock;
  readonly #cast: Cast | undefined;
  #pty: Pty | undefined;
  #exit: Exit | undefined;
  #program: number | undefined;
  #bytesWritten = 0;

  constructor(options: { cols: number; rows: number; ringSize: number; clock: Clock; cast?: Cast }) {
    this.ring = new ByteRing(options.ringSize);
    this.#clock = options.clock;
    this.#cast = options.cast;
    this.screen = new Screen({
      cols: options.cols,
      rows: options.rows,
      onReply: (data) => this.#pty?.write(Buffer.from(data)),
      onPressure: (high) => (high ? this.#pty?.pause() : this.#pty?.resume()),
    });
  }

  /** Resolves when the program has been started; `exited` says how it ended. */
  async start(spec: ProgramSpec): Promise<{ exited: Promise<Exit> }> {
    const { cols, rows } = this.screen;
    this.#exit = undefined;
    this.#program = undefined;
    const pty = await startPty({ ...spec, cols, rows, modes: ["sane", "iutf8"], onData: (chunk) => this.#take(chunk) });
    this.#pty = pty;
    const exited = pty.exited.then(async (exit) => {
      await this.screen.settled();
      this.#exit = exit;
      this.#pty = undefined;
      return exit;
    });
    return { exited };
  }

  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** Of the program itself; that of the shell which leads its terminal until it runs. */
  get pid(): number | undefined {
    const leader = this.#pty?.pid;
    if (leader === undefined) return undefined;
    const front = this.#program ?? foregroundGroup(leader);
    if (front !== leader) this.#program = front;
    return this.#program ?? leader;
  }

  get bytesWritten(): number {
    return this.#bytesWritten;
  }

  /** Types. Returns how many bytes. */
  write(data: string | Uint8Array): number {
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    this.#running().write(bytes);
    this.#bytesWritten += bytes.length;
    return bytes.length;
  }

  resize(cols: number, rows: number): void {
    if (cols === this.screen.cols && rows === this.screen.rows) return;
    this.#pty?.resize(cols, rows);
    this.screen.resize(cols, rows);
    this.#cast?.resize(cols, rows);
  }

  signal(signal: NodeJS.Signals): void {
    const pty = this.#running();
    if (signal === "SIGCONT" && pty.isSuspended()) pty.continue();
    else pty.signal(signal);
  }

  /** Hangs up, as a terminal does that is closed; whoever stays is asked, then killed. */
  async stop(timeoutMs: number): Promise<void> {
    const pty = this.#pty;
    if (pty === undefined) return;
    const half = timeoutMs / 2;
    pty.signal("SIGHUP");
    pty.signal("SIGCONT");
    const gone = new AbortController();
    void pty.exited.then(() => gone.abort());
    await this.#clock.sleep(half, gone.signal);
    await pty.stop(half);
  }

  close(): void {
    this.screen.close();
    this.#cast?.close();
  }

  #running(): Pty {
    if (this.#pty !== undefined) return this.#pty;
    if (this.#exit !== undefined) throw new AppError("terminal.exited", "the program has exited");
    throw new AppError("terminal.not_ready", "the program has not been started yet");
  }

  #take(chunk: Buffer): void {
    this.ring.write(chunk);
    this.output.send(chunk); // first those who wait for it, then what can wait
    this.screen.write(chunk);
    this.#cast?.output(chunk);
  }
}

/** The number of the signal that ended it. */
export function signalNumber({ signal }: Exit): number | null {
  const entry = Object.entries(constants.signals).find(([name]) => name === signal);
  return entry === undefined ? null : entry[1];
}
