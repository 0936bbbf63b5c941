import { objectOf, textOf } from "../../../core/protocols/read.ts";
import { type Figures, type Meter, spelled } from "../figures.ts";

/** Cursor's stream-json: we ship no image for it, but images for this interface that hold it exist. */
export function cursorMeter(): Meter {
  let result: Figures = { abnormal: false };
  return {
    take(message, raw) {
      if (message.type !== "result") return;
      const usage = objectOf(message.usage);
      const said = textOf(message.result);
      result = {
        inputTokens: spelled(raw, "inputTokens", usage.inputTokens),
        outputTokens: spelled(raw, "outputTokens", usage.outputTokens),
        response: said,
        abnormal: false,
        ...(message.is_error === true ? { failure: said ?? "cursor failed without a message" } : {}),
      };
    },
    read: () => result,
  };
}
