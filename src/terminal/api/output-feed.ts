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

  constructor(ring: ByteRing, ws: WebSocket) {
    this.#ring = ring;
    this.#ws = ws;
    this.#next = ring.total;
  }

  flush(): void {
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
      ? { event: "replay", data: data.toString("base64"), offset, next_offset: this.#next, total_written: this.#ring.total }
      : { event: "pty", data: data.toString("base64"), offset };
    this.#ws.send(JSON.stringify(body), () => {
      if (this.#behind) this.flush();
    });
  }
}

const SLICE_BYTES = 64 * 1024;
const HIGH_BYTES = 512 * 1024;
