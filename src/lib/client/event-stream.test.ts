import { describe, expect, test } from "vitest";
import { EventParser } from "./event-parser.ts";
import { followEvents, type StreamEvent } from "./event-stream.ts";
import { httpClient } from "./http.ts";

test("text of a stream, cut anywhere, gives the same events", () => {
  const text = ': hello\n\nid: 1\ndata: {"a":1}\n\nevent: live\r\nid: 2\r\ndata: x\r\ndata: y\r\n\r\nid: 9\n\n';
  const whole = new EventParser().push(text);
  expect(whole).toEqual([
    { event: "message", id: "1", data: '{"a":1}' },
    { event: "live", id: "2", data: "x\ny" },
  ]);
  for (let cut = 1; cut < text.length; cut += 1) {
    const parser = new EventParser();
    expect([...parser.push(text.slice(0, cut)), ...parser.push(text.slice(cut))]).toEqual(whole);
  }
});

interface Served {
  body?: string;
  status?: number;
  /** Stays open after that. */
  open?: boolean;
}

/** A server that answers each connection with what the test says; remembers what it was asked to go on from. */
function serving(...answers: Served[]) {
  const asked: (string | null)[] = [];
  const fake = (async (_, init) => {
    asked.push(new Headers(init?.headers).get("last-event-id"));
    const { body = "", status = 200, open = false } = answers.shift() ?? { body: "event: end\nid: z\ndata: {}\n\n" };
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(body));
        if (!open) controller.close();
        init?.signal?.addEventListener("abort", () => {
          if (open) controller.error(new Error("aborted"));
        });
      },
    });
    return new Response(stream, { status });
  }) as typeof fetch;
  return { asked, client: httpClient({ url: "http://x", token: "t", fetch: fake }) };
}

const follow = (client: ReturnType<typeof serving>["client"], options = {}) =>
  followEvents(client, "GET /stream", {}, options);

async function all(events: AsyncGenerator<StreamEvent[]>): Promise<string[]> {
  const datas: string[] = [];
  for await (const batch of events) datas.push(...batch.map(({ data }) => data));
  return datas;
}

describe("following a stream", () => {
  test("goes on after the last id when the connection is lost", async () => {
    const { client, asked } = serving({ body: "id: 1\ndata: a\n\nid: 2\ndata: b\n\n" }, { body: "id: 3\ndata: c\n\n" });
    expect(await all(follow(client))).toEqual(["a", "b", "c", "{}"]);
    expect(asked).toEqual([null, "2", "3"]);
  });

  test("hands out nothing of a batch whose id has not come: it will come again", async () => {
    const cut = { body: "event: r1\ndata: a\n\nevent: r1\ndata: b\nid: c1\n\nevent: r1\ndata: c\n\n" };
    const { client, asked } = serving(cut, { body: "event: r1\ndata: c\n\nevent: r2\ndata: d\nid: c2\n\n" });
    expect(await all(follow(client))).toEqual(["a", "b", "c", "d", "{}"]);
    expect(asked).toEqual([null, "c1", "c2"]);
  });

  test("waits out a server that is down or overrun, and gives up where it is refused", async () => {
    const states: string[] = [];
    const { client } = serving({ status: 503, body: "{}" }, { status: 429, body: "{}" });
    expect(await all(follow(client, { onState: (state: string) => states.push(state) }))).toEqual(["{}"]);
    expect(states).toEqual(["waiting", "waiting", "open"]);
    const refused = serving({ status: 404, body: '{"code":"run.not_found","detail":"no"}' });
    await expect(all(follow(refused.client))).rejects.toMatchObject({ code: "run.not_found" });
  });

  test("takes a connection on which nothing comes for dead", async () => {
    const { client, asked } = serving({ body: "id: 5\ndata: a\n\n", open: true });
    expect(await all(follow(client, { silenceMs: 30 }))).toEqual(["a", "{}"]);
    expect(asked).toEqual([null, "5"]);
  });

  test("ends when it is told to", async () => {
    const { client } = serving({ body: "id: 5\ndata: a\n\n", open: true });
    const leaving = new AbortController();
    const seen: string[] = [];
    for await (const batch of follow(client, { signal: leaving.signal })) {
      seen.push(...batch.map(({ data }) => data));
      leaving.abort();
    }
    expect(seen).toEqual(["a"]);
  });
});
