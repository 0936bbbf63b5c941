import { createReadStream, existsSync, fstatSync } from "node:fs";
import type { Readable } from "node:stream";
import type { Clock } from "../../lib/base/clock.ts";
import { hasVisibleWriter } from "./pipe-writers.ts";

/** Where the agent's output comes from. A stream on stdin is also to be passed on; the file is in the log already. */
export type AgentStream =
  | { from: "stdin"; chunks: AsyncIterable<Uint8Array> }
  | { from: "file"; chunks: AsyncIterable<Uint8Array> }
  | { from: "nowhere" };

export interface StreamPlaces {
  stdin: Readable & { fd?: number };
  /** Where an entrypoint that uses `tee` leaves a copy. */
  file: string;
  clock: Clock;
}

const PATIENCE_MS = 1000;

/**
 * Entrypoints of two kinds call us, and neither says which it is: `agent | capture`, or `agent | tee FILE; capture`. stdin is
 * the stream when it is a pipe or a file that gives a byte, or its end, within a second. An agent that thinks longer before
 * its first word is still told from a stdin that nobody feeds: we can see that it holds the pipe's other end.
 */
export async function agentStream({ stdin, file, clock }: StreamPlaces): Promise<AgentStream> {
  if (canBeStream(stdin)) {
    const chunks = stdin[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    const first = chunks.next();
    const spoke = first.then(
      () => true,
      () => true, // broken, and whoever reads on will learn it
    );
    const heard = new AbortController();
    const silence = clock.sleep(PATIENCE_MS, heard.signal).then(() => false);
    const isFed = await Promise.race([spoke, silence]);
    heard.abort();
    if (isFed || hasVisibleWriter(stdin.fd ?? 0)) {
      return { from: "stdin", chunks: joined(first, chunks) };
    }
    first.catch(() => {}); // nobody waits for it any more
    stdin.destroy();
  }
  return existsSync(file) ? { from: "file", chunks: createReadStream(file) } : { from: "nowhere" };
}

/** Neither a terminal nor /dev/null has a stream in it, and a closed stdin hasn't either. */
function canBeStream(stdin: { fd?: number }): boolean {
  try {
    const facts = fstatSync(stdin.fd ?? 0);
    return facts.isFIFO() || facts.isFile() || facts.isSocket();
  } catch {
    return false;
  }
}

async function* joined(
  first: Promise<IteratorResult<Uint8Array>>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let next = await first; !next.done; next = await rest.next()) yield next.value;
}
