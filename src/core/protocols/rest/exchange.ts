import type { Clock } from "../../../lib/base/clock.ts";
import { breakdown, type Failure, LimitReached, refusal } from "./failure.ts";
import type { Endpoint } from "./providers.ts";
import { type SseItem, sseItems } from "./sse.ts";

export interface ChatMessage {
  role: "user" | "assistant";
  content: string | readonly Part[];
}

export type Part = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

/**
 * One request and its streamed answer. Yields what the server says; returns a failure, or nothing when the stream ended.
 * An abort of `cancel` by a limit of ours is a failure too; any other abort of it is the caller's own affair.
 */
export async function* exchange(
  endpoint: Endpoint,
  messages: readonly ChatMessage[],
  clock: Clock,
  cancel: AbortController,
): AsyncGenerator<SseItem, Failure | undefined> {
  const { limits, key } = endpoint;
  const limit = (what: LimitReached["what"], ms: number) =>
    clock.after(ms, () => cancel.abort(new LimitReached(what, ms)));
  let disarm = limit("header", limits.header);
  try {
    const response = await fetch(endpoint.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream",
        "user-agent": "coxswain",
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...endpoint.headers,
      },
      body: JSON.stringify(requestBody(endpoint, messages)),
      signal: cancel.signal,
    });
    disarm();
    disarm = limit("idle", limits.idle);
    if (!response.ok) return refusal(endpoint, response, await response.text(), clock.now());
    if (response.headers.get("content-type")?.startsWith("application/json")) {
      yield { data: await response.text() }; // a server that doesn't stream: the answer is one chunk
      return undefined;
    }
    const progress = () => {
      disarm();
      disarm = limit("idle", limits.idle);
    };
    yield* sseItems(watched(response.body, progress));
    return undefined;
  } catch (error) {
    return breakdown(endpoint, cancel.signal.aborted ? cancel.signal.reason : error);
  } finally {
    disarm();
  }
}

function requestBody({ model, asksForUsage }: Endpoint, messages: readonly ChatMessage[]) {
  return { model, messages, stream: true, ...(asksForUsage ? { stream_options: { include_usage: true } } : {}) };
}

/** Tells of every chunk as it passes: a heartbeat without content counts as life. */
async function* watched(body: AsyncIterable<Uint8Array> | null, progress: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of body ?? []) {
    progress();
    yield chunk;
  }
}
