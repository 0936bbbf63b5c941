import type { BusPage } from "../../contract/bus.ts";
import { tailFile } from "../../lib/files/tail.ts";
import { BusDecoder } from "../store/bus/bus-decoder.ts";
import { offsetOf, sizeOf } from "../store/bus/bus-reader.ts";

export interface FollowOptions {
  /** Default: what is posted from now on. */
  since?: string;
  /** A follower waits for ever; aborting ends it. */
  signal?: AbortSignal;
}

/** Messages as they are posted, each once, read from where the last look ended: the length of the bus doesn't matter. */
export async function* followBus(path: string, { since, signal }: FollowOptions = {}): AsyncGenerator<BusPage> {
  const from = since === undefined ? sizeOf(path) : offsetOf(path, since);
  const decoder = new BusDecoder(from);
  const onShrunk = (_: number, to: number) => decoder.restartAt(to);
  for await (const chunk of tailFile(path, { from, signal, onShrunk })) {
    const messages = decoder.push(chunk);
    if (decoder.isWaiting && decoder.next >= sizeOf(path)) messages.push(...decoder.settle());
    if (messages.length > 0) yield { messages, cursor: decoder.cursor, damaged: decoder.damaged };
  }
}
