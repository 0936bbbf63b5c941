import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import type { AgentEvent, Body } from "../../contract/events.ts";
import { createHash } from "../../lib/base/crypto.ts";
import { createFileExclusive } from "../../lib/files/atomic-file.ts";

const MAX_INLINE_BYTES = 64 * 1024;
const HEAD_CHARACTERS = 2000;
const isHash = (text: string) => /^[0-9a-f]{64}$/.test(text);

/** Large texts of one run, by their hash: events stay small, and the same text is kept once. */
export class Blobs {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  put(data: string | Uint8Array): string {
    const sha256 = createHash("sha256").update(data).digest("hex");
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    createFileExclusive(join(this.#folder, sha256), data);
    return sha256;
  }

  has(sha256: string): boolean {
    return isHash(sha256) && existsSync(join(this.#folder, sha256));
  }

  read(sha256: string): Buffer {
    if (!isHash(sha256)) throw new AppError("id.invalid", "attachment: not a hash");
    return readFileSync(join(this.#folder, sha256));
  }

  /** All of a text, wherever it lies. */
  text(body: Body): string {
    return typeof body === "string" ? body : this.read(body.sha256).toString("utf8");
  }

  body(text: Body): Body {
    if (typeof text !== "string" || text.length <= MAX_INLINE_BYTES) return text;
    return { head: text.slice(0, HEAD_CHARACTERS), bytes: Buffer.byteLength(text), sha256: this.put(text) };
  }

  /** The event with its large texts moved out. Most events pass untouched. */
  slim(event: AgentEvent): AgentEvent {
    if (event.type === "plan") return event.markdown ? { ...event, markdown: this.body(event.markdown) } : event;
    if (event.type === "permission_request") {
      const { diffs } = event.actionDetails;
      return diffs ? { ...event, actionDetails: { ...event.actionDetails, diffs: this.#diffs(diffs) } } : event;
    }
    if (event.type !== "tool_call" && event.type !== "tool_update") return event;
    if (event.result === undefined && event.diffs === undefined) return event;
    const slim = { ...event };
    if (event.result !== undefined) slim.result = this.body(event.result);
    if (event.diffs !== undefined) slim.diffs = this.#diffs(event.diffs);
    return slim;
  }

  #diffs<T extends { unified: Body }>(diffs: readonly T[]): T[] {
    return diffs.map((diff) => ({ ...diff, unified: this.body(diff.unified) }));
  }
}
