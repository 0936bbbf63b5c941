import { AppError, messageOf } from "../../contract/errors.ts";
import { recordIn } from "../../contract/runs/record.ts";
import type { OpenRequest } from "../../contract/sessions/transcript.ts";
import { systemClock } from "../../lib/base/clock.ts";
import { followEvents } from "../../lib/client/event-stream.ts";
import { httpClient } from "../../lib/client/http.ts";
import { type Place, pagesOf } from "./place.ts";
import { newRunOf } from "./start-options.ts";

/** A server gives no more at once. */
const PAGE = 500;
const RECORD_MS = 20;

/** A server, reached over HTTP. */
export function remotePlace(url: string, token: string): Place {
  const client = httpClient({ url: url.replace(/\/+$/, ""), token, fetch: reaching(url) });
  const detail = (run: string) => client.call("GET /runs/{run}", { params: { run } });
  return {
    start: async (options) => (await client.call("POST /runs", { body: newRunOf(options) })).run_id,

    info: async (run) => recordIn(await detail(run)),

    list: (wanted) =>
      pagesOf(wanted, ({ limit, ...query }) =>
        client.call("GET /runs", { query: { ...query, limit: Math.min(limit, PAGE) } }),
      ),

    async *follow(run, after, signal) {
      const given = { params: { run }, query: { after } };
      for await (const batch of followEvents(client, "GET /runs/{run}/stream", given, { signal })) {
        yield batch.filter(({ event }) => event === "message").map(({ data }) => JSON.parse(data));
      }
    },

    async ended(run, signal) {
      for (;;) {
        signal.throwIfAborted();
        const now = await detail(run);
        if (now.end !== undefined) return recordIn(now);
        const given = { params: { run }, query: { after: now.last_seq } };
        for await (const _ of followEvents(client, "GET /runs/{run}/stream", given, { signal }));
        await systemClock.sleep(RECORD_MS, signal); // its log is closed a moment before its record is final
      }
    },

    lastSeq: async (run) => (await detail(run)).last_seq,

    requests: async (run) => (await detail(run)).open_requests.map(({ request }) => request).filter(isRequest),

    async prompt(run, { promptId, content, delivery }) {
      const body = { content: [...content], delivery, prompt_id: promptId };
      return (await client.call("POST /runs/{run}/prompts", { params: { run }, body })).run_id;
    },

    answer: (run, pending, reply) =>
      client.call("POST /runs/{run}/requests/{pending}", { params: { run, pending }, body: reply }),
    interrupt: (run) => client.call("POST /runs/{run}/interrupt", { params: { run } }),
    setOption: (run, option, value) =>
      client.call("PUT /runs/{run}/options/{option}", { params: { run, option }, body: { value } }),
    stop: (run) => client.call("POST /runs/{run}/stop", { params: { run } }),

    async fork(run, content, turn) {
      const body = { content: [...content], turn };
      return (await client.call("POST /runs/{run}/fork", { params: { run }, body })).run_id;
    },
  };
}

const isRequest = (event: { type: string }): event is OpenRequest =>
  event.type === "permission_request" || event.type === "question_request";

/** Node says only "fetch failed"; why is in its cause. */
function reaching(url: string): typeof fetch {
  return async (input, init) => {
    try {
      return await fetch(input, init);
    } catch (error) {
      init?.signal?.throwIfAborted();
      const why = messageOf(error instanceof Error ? (error.cause ?? error) : error);
      throw new AppError("server.not_running", `server ${url}: can't be reached: ${why}`, {}, { cause: error });
    }
  };
}
