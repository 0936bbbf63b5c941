import type { ServerResponse } from "node:http";
import { type Frames, HEARTBEAT, TOO_SLOW } from "./frames.ts";

/** Beyond this much that it hasn't taken, a client is told to begin again. */
const MAX_QUEUED = 1024 * 1024;
/** A replay waits for its client when this much is under way. */
const HIGH_WATER = 256 * 1024;
/** How long a client that was told so may take to hear it. */
const LAST_WORD_MS = 5000;

/** One reader of a stream. What it doesn't read in time is not kept for it: it has the files to go back to. */
export class StreamClient {
  readonly #response: ServerResponse;
  readonly #sent: (events: number) => void;
  readonly #gone: (() => void)[] = [];
  #wrote = true;
  #over = false;
  /** Of the replay that waits for its client. */
  #resume: (() => void) | undefined;

  constructor(response: ServerResponse, signal: AbortSignal, sent: (events: number) => void) {
    this.#response = response;
    this.#sent = sent;
    // Ends with the connection: without a frame around each piece, one write of ours is one write to the socket.
    response.removeHeader("transfer-encoding");
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "x-accel-buffering": "no",
      connection: "close",
    });
    response.flushHeaders();
    const leave = () => this.#leave();
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave);
    response.on("close", leave);
    response.on("drain", () => this.#resume?.());
    if (response.req.method === "HEAD") this.end(); // it has all it asked for
  }

  get over(): boolean {
    return this.#over;
  }

  /** Called once, when it has left or was sent away. */
  onGone(call: () => void): void {
    if (this.#over) call();
    else this.#gone.push(call);
  }

  /** What happens now. The same bytes may go to many clients. */
  send(frames: Frames): void {
    if (!this.#write(frames)) return;
    if (this.#response.writableLength > MAX_QUEUED) this.reset(TOO_SLOW);
  }

  /** What is read from disk for this client alone: at its own pace. */
  async replay(frames: Frames): Promise<void> {
    if (!this.#write(frames)) return;
    while (!this.#over && this.#response.writableLength > HIGH_WATER) await this.#drained();
  }

  beat(): void {
    if (!this.#wrote && !this.#over) this.#response.write(HEARTBEAT);
    this.#wrote = false;
  }

  end(): void {
    if (this.#over) return;
    this.#response.end();
    this.#leave();
  }

  /** Sends it away, to come back and go on from its last id. */
  reset(lastWord: Buffer): void {
    if (this.#over) return;
    this.#response.end(lastWord);
    const response = this.#response;
    setTimeout(() => response.destroy(), LAST_WORD_MS).unref();
    this.#leave();
  }

  #write({ bytes, count }: Frames): boolean {
    if (this.#over || bytes.length === 0) return false;
    this.#wrote = true;
    this.#response.write(bytes);
    this.#sent(count);
    return true;
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  #leave(): void {
    if (this.#over) return;
    this.#over = true;
    this.#resume?.();
    for (const call of this.#gone.splice(0)) call();
  }
}
