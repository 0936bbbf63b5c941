import type { Exit } from "../../../lib/process/exit.ts";
import { Broadcast } from "../broadcast.ts";
import type { Console } from "../console.ts";
import { Screen } from "../screen.ts";

/** An agent's process on a terminal, as whoever started it hands it over. */
export interface TerminalProcess {
  readonly output: AsyncIterable<Uint8Array>;
  readonly exited: Promise<Exit>;
  write(text: string): Promise<void>;
  stop(graceMs: number): Promise<Exit>;
  resize?(cols: number, rows: number): void;
}

/** Its screen and its keys. */
export class ProcessConsole implements Console {
  readonly screen: Screen;
  readonly output = new Broadcast<Buffer>();
  readonly process: TerminalProcess;
  /** All it said was drawn by then. */
  readonly ended: Promise<Exit>;
  exit: Exit | undefined;
  bytesWritten = 0;

  constructor(process: TerminalProcess, size: { cols: number; rows: number }) {
    this.process = process;
    this.screen = new Screen({ ...size, onReply: (data) => void this.#type(data), onPressure: () => {} });
    this.ended = this.#read();
  }

  write(data: string | Uint8Array): number {
    const text = typeof data === "string" ? data : Buffer.from(data).toString("utf8");
    void this.#type(text);
    this.bytesWritten += Buffer.byteLength(text);
    return Buffer.byteLength(text);
  }

  resize(cols: number, rows: number): void {
    this.process.resize?.(cols, rows);
    this.screen.resize(cols, rows);
  }

  /** To one that has ended nobody types; its exit says why. */
  async #type(text: string): Promise<void> {
    if (this.exit === undefined) await this.process.write(text).catch(() => {});
  }

  async #read(): Promise<Exit> {
    for await (const bytes of this.process.output) {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      this.screen.write(chunk);
      this.output.send(chunk);
    }
    const exit = await this.process.exited;
    await this.screen.settled();
    this.exit = exit;
    return exit;
  }
}
