import { once } from "node:events";

/** At the pace of whoever reads: `cox logs | less` must not pile up a log in memory. */
export async function writeAll(
  stream: NodeJS.WritableStream,
  parts: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): Promise<void> {
  for await (const part of parts) {
    if (part.length > 0 && !stream.write(part)) await once(stream, "drain");
  }
}
