import type { RecordedEvent } from "../../../contract/events.ts";
import { printableJson } from "../../../lib/text/printable.ts";
import type { LiveView, ViewOptions } from "./index.ts";

/** Events as JSON lines, for programs. */
export class JsonView implements LiveView {
  readonly #options: ViewOptions;

  constructor(options: ViewOptions) {
    this.#options = options;
  }

  show(events: readonly RecordedEvent[]): void {
    this.#options.context.stdout.write(events.map((event) => `${printableJson(event)}\n`).join(""));
  }

  finish(): void {}

  close(): void {}
}
