import { linesOf } from "../../../lib/text/lines.ts";

export type SseItem = { data: string } | { oversized: number };

/** The payloads of a stream of server-sent events. Names and ids of events carry nothing in this protocol. */
export async function* sseItems(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SseItem> {
  let data: string[] = [];
  for await (const lines of linesOf(chunks)) {
    for (const line of lines) {
      if ("oversized" in line) {
        yield line;
        continue;
      }
      const { text } = line;
      if (text.startsWith("data:")) data.push(text.slice(text.charCodeAt(5) === SPACE ? 6 : 5));
      // A comment (": heartbeat") ends nothing, a blank line ends the event.
      if (text !== "" || data.length === 0) continue;
      yield { data: data.join("\n") };
      data = [];
    }
  }
  // Strictly an event without its blank line is to be dropped; servers that end so still mean it.
  if (data.length > 0) yield { data: data.join("\n") };
}

const SPACE = 32;
