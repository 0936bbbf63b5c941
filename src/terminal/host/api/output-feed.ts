import type { WebSocket } from "ws";
import type { ByteRing } from "../ring.ts";

/**
 * The bytes of a terminal for one client, at its own pace. They are read from the ring when the client has room: one that
 * falls behind costs no memory, and gets what the ring still has, as a replay.
 */
export class OutputFeed {
  readonly #ring: ByteRing;
  readonly #ws: WebSocket;
  #next: number;
  #behind = false;
  #window = { since: 0, from: 0 };
  #timer: NodeJS.Timeout | undefined;

  constructor(ring: ByteRing, ws: WebSocket) {
    this.#ring = ring;
    this.#ws = ws;
    this.#next = ring.total;
  }

  /** There is more. Little goes at once; in a flood what comes within moments goes together. */
  flush(): void {
    const now = performance.now();
    if (now - this.#window.since > TOGETHER_MS) this.#window = { since: now, from: this.#next };
    const isFlood = this.#next - this.#window.from > FLOOD_BYTES;
    if (!isFlood || this.#ring.total - this.#next >= SLICE_BYTES) this.sendNow();
    else this.#timer ??= setTimeout(() => this.sendNow(), TOGETHER_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  /** Whatever else the client is told comes behind what was printed before it. */
  sendNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#next < this.#ring.total && this.#ws.readyState === this.#ws.OPEN) {
      if (this.#ws.bufferedAmount > HIGH_BYTES) {
        this.#behind = true;
        return;
      }
      this.#sendSome();
    }
  }

  #sendSome(): void {
    const { data, offset } = this.#ring.read(this.#next, SLICE_BYTES);
    const wasBehind = this.#behind;
    this.#behind = false;
    this.#next = offset + data.length;
    const body = wasBehind
      ? {
          event: "replay",
          data: data.toString("base64"),
          offset,
          next_offset: this.#next,
          total_written: this.#ring.total,
        }
      : { event: "pty", data: data.toString("base64"), offset };
    this.#ws.send(JSON.stringify(body), () => {
      if (this.#behind) this.sendNow();
    });
  }
}

const TOGETHER_MS = 4;
const FLOOD_BYTES = 16 * 1024;
const SLICE_BYTES = 64 * 1024;
const HIGH_BYTES = 512 * 1024;
