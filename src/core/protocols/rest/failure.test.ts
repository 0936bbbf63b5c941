import { describe, expect, test } from "vitest";
import {
  type ModelRequest,
  refuses,
  says,
  send,
  serve,
  settled,
  stop,
  streaming,
  talk,
  text,
  textOf,
} from "../../../../test/support/model-server.ts";

describe("refusals", () => {
  const said = (message: string, code?: string) => ({ error: { message, code } });
  test.each([
    [401, said("Incorrect API key provided: sk-secret."), { category: "auth", httpStatus: 401, retryable: false }],
    [403, said("no"), { category: "auth" }],
    [402, said("pay"), { category: "credits" }],
    [404, said("no such model"), { category: "model" }],
    [413, said("big"), { category: "context" }],
    [
      400,
      said("This model's maximum context length is 8192 tokens", "context_length_exceeded"),
      { category: "context", httpStatus: 400 },
    ],
    [400, said("bad temperature"), { category: "other" }],
    [418, "<html>teapot</html>", { category: "other", message: expect.stringContaining("teapot") }],
  ])("%i %j", async (status, body, expected) => {
    const server = await serve(refuses(status, body));
    const chat = await talk(server.config);
    const events = await chat.turn("hi");
    expect(events).toMatchObject([
      { type: "turn_started" },
      { type: "error", turn: "t1", ...expected },
      { outcome: "failed" },
    ]);
    expect(JSON.stringify(events)).not.toContain("sk-secret");
    expect(chat.stdout()).toBe("");
  });

  test("a prompt that got no answer is forgotten", async () => {
    const server = await serve(refuses(400, said("no")), says(text("ok"), stop));
    const chat = await talk(server.config);
    await chat.turn("first");
    await chat.turn("second");
    expect(server.asked[1]?.body.messages).toEqual([{ role: "user", content: "second" }]);
  });

  test("429 is tried again when the server says so", async () => {
    const server = await serve(refuses(429, said("slow down"), { "retry-after": "7" }), says(text("ok"), stop));
    const chat = await talk(server.config);
    await send(chat.session, "hi");
    const limit = await chat.reader.until("rate_limit");
    expect(limit).toEqual({ type: "rate_limit", status: "limited", resetsAt: "2026-01-01T00:00:07.000Z" });
    expect(await chat.reader.until("notice")).toMatchObject({
      code: "retrying",
      turn: "t1",
      data: { attempt: 1, waitMs: 7000 },
    });
    await settled();
    chat.clock.advance(6_999);
    await settled();
    expect(server.asked).toHaveLength(1);
    chat.clock.advance(1);
    expect(await chat.reader.until("complete")).toMatchObject({ outcome: "completed" });
    expect(server.asked).toHaveLength(2);
  });

  test("5xx is tried five times, ever later", async () => {
    const server = await serve(...Array.from({ length: 6 }, () => refuses(503, said("busy"))));
    const chat = await talk(server.config);
    await send(chat.session, "hi");
    const waits: unknown[] = [];
    for (let attempt = 1; attempt < 5; attempt += 1) {
      const notice = await chat.reader.until("notice");
      waits.push((notice.data as { waitMs: number }).waitMs);
      await settled();
      chat.clock.advance(32_000);
    }
    expect(await chat.reader.until("complete")).toMatchObject({ outcome: "failed" });
    expect(waits).toEqual([1000, 2000, 4000, 8000]);
    expect(server.asked).toHaveLength(5);
    const errors = chat.reader.seen.filter((event) => event.type === "error");
    expect(errors).toMatchObject([
      { category: "server", httpStatus: 503, retryable: true, message: expect.stringContaining("busy") },
    ]);
  });

  test("a wait of hours is not ours to sit out", async () => {
    const server = await serve(refuses(429, said("tomorrow"), { "retry-after": "7200" }));
    const events = await (await talk(server.config)).turn("hi");
    expect(events.map((event) => event.type)).toEqual(["turn_started", "rate_limit", "error", "complete"]);
    expect(events[1]).toMatchObject({ resetsAt: "2026-01-01T02:00:00.000Z" });
  });

  test("nobody there", async () => {
    const server = await serve();
    await server.stop();
    const events = await (await talk(server.config)).turn("hi");
    expect(events.slice(-2)).toMatchObject([
      { type: "error", category: "network", retryable: true, message: expect.stringContaining("ECONNREFUSED") },
      { type: "complete", outcome: "failed" },
    ]);
  });

  test("a connection that breaks in the middle", async () => {
    const server = await serve((response) => {
      streaming(response, {} as ModelRequest);
      response.write(`data: ${JSON.stringify(text("half"))}\n\n`, () => response.destroy());
    });
    const events = await (await talk(server.config)).turn("hi");
    expect(textOf(events)).toBe("half");
    expect(events.slice(-2)).toMatchObject([{ type: "error", category: "network" }, { outcome: "failed" }]);
  });
});

describe("limits", () => {
  const limits = { header_timeout_ms: 10_000, idle_timeout_ms: 60_000, total_timeout_ms: 90_000 };

  test("a server that never begins to answer", async () => {
    let arrived = () => {};
    const asked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const server = await serve(() => arrived());
    const chat = await talk({ ...server.config, ...limits });
    await send(chat.session, "hi");
    await asked;
    chat.clock.advance(10_000);
    expect(await chat.reader.until("error")).toMatchObject({
      category: "network",
      message: expect.stringContaining("within 10 s"),
    });
    expect(await chat.reader.until("complete")).toMatchObject({ outcome: "failed" });
  });

  test("one that falls silent", async () => {
    const server = await serve((response) => {
      streaming(response, {} as ModelRequest);
      response.write(`data: ${JSON.stringify(text("a"))}\n\n`);
    });
    const chat = await talk({ ...server.config, ...limits });
    await send(chat.session, "hi");
    await chat.reader.until("message_chunk");
    chat.clock.advance(59_999);
    await settled();
    chat.clock.advance(1);
    expect(await chat.reader.until("error")).toMatchObject({
      category: "network",
      message: expect.stringContaining("silent for 60 s"),
    });
  });

  test("one that never comes to an end", async () => {
    let go = () => {};
    const server = await serve((response) => {
      streaming(response, {} as ModelRequest);
      go = () => response.write(`data: ${JSON.stringify(text("a"))}\n\n`);
      go();
    });
    const chat = await talk({ ...server.config, ...limits });
    await send(chat.session, "hi");
    await chat.reader.until("message_chunk");
    chat.clock.advance(50_000);
    go();
    await chat.reader.until("message_chunk");
    chat.clock.advance(40_000);
    expect(await chat.reader.until("error")).toMatchObject({
      category: "server",
      message: expect.stringContaining("within 90 s"),
    });
    expect(await chat.reader.until("complete")).toMatchObject({ outcome: "failed" });
  });
});
