import { describe, expect, test } from "vitest";
import {
  type ModelRequest,
  refuses,
  type Script,
  says,
  serve,
  settled,
  stop,
  streaming,
  talk,
  text,
  textOf,
} from "../../../../test/support/model-server.ts";

describe("servers that speak in their own way", () => {
  const raw =
    (...parts: (string | Uint8Array)[]): Script =>
    async (response) => {
      streaming(response, {} as ModelRequest);
      for (const part of parts) {
        response.write(part);
        await settled();
      }
      response.end();
    };
  const line = (chunk: object) => `data: ${JSON.stringify(chunk)}`;

  test("CRLF, heartbeats, a character cut in two, several fields", async () => {
    const bytes = Buffer.from(
      `: ping\r\n\r\nevent: message\r\n${line(text("grüß 🚣"))}\r\n\r\n${line(stop)}\r\n\r\ndata: [DONE]\r\n\r\n`,
    );
    const cut = bytes.indexOf("🚣") + 2;
    const server = await serve(raw(bytes.subarray(0, cut), bytes.subarray(cut)));
    const events = await (await talk(server.config)).turn("hi");
    expect(textOf(events)).toBe("grüß 🚣");
    expect(events.at(-1)).toMatchObject({ outcome: "completed" });
  });

  test("a garbage line is counted, the rest goes on", async () => {
    const server = await serve(
      raw("data: {oops\n\n", 'data: {"ping":1}\n\n', `${line(text("ok"))}\n\n`, `${line(stop)}\n\n`),
    );
    const events = await (await talk(server.config)).turn("hi");
    const counted = events.filter((event) => event.type === "unmapped");
    expect(counted).toMatchObject([{ why: "unparsed", raw: "{oops" }, { why: "unknown_type" }]);
    expect(textOf(events)).toBe("ok");
  });

  test("without [DONE], the finish reason is the end", async () => {
    const cut = { choices: [{ delta: { content: "long" }, finish_reason: "length" }] };
    const server = await serve(raw(`${line(cut)}\n\n`));
    expect((await (await talk(server.config)).turn("hi")).at(-1)).toMatchObject({
      outcome: "completed",
      stopReason: "max_tokens",
    });
  });

  test("without either, the answer was cut off", async () => {
    const server = await serve(raw(`${line(text("<think>hal"))}\n\n`));
    const events = await (await talk(server.config)).turn("hi");
    expect(textOf(events, "reasoning")).toBe("hal");
    expect(events.slice(-2)).toMatchObject([{ type: "error", category: "network" }, { outcome: "failed" }]);
  });

  test("one that doesn't stream at all", async () => {
    const whole = {
      object: "chat.completion",
      choices: [{ message: { role: "assistant", content: "all" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 1 },
    };
    const server = await serve(refuses(200, whole));
    const events = await (await talk(server.config)).turn("hi");
    expect(textOf(events)).toBe("all");
    expect(events.at(-1)).toMatchObject({ outcome: "completed", usage: { input: 1 } });
  });

  test("an error in the middle of the stream", async () => {
    const error = { error: { message: "engine fell over", type: "overloaded_error" } };
    const server = await serve(raw(`${line(text("a"))}\n\n`, `${line(error)}\n\n`), says(text("b"), stop));
    const chat = await talk(server.config);
    const events = await chat.turn("hi");
    expect(events.slice(-2)).toMatchObject([
      { type: "error", category: "server", message: "engine fell over" },
      { type: "complete", outcome: "failed", reason: "engine fell over" },
    ]);
    expect((await chat.turn("and now")).at(-1)).toMatchObject({ turn: "t2", outcome: "completed" });
  });

  test("one that keeps the connection open after [DONE] is not waited for", async () => {
    const open: Script = (response) => {
      streaming(response, {} as ModelRequest);
      response.write(`${line(text("a"))}\n\n${line(stop)}\n\ndata: [DONE]\n\n`);
    };
    const server = await serve(open, says(text("b"), stop));
    const chat = await talk(server.config);
    await chat.turn("one");
    expect((await chat.turn("two")).at(-1)).toMatchObject({ turn: "t2", outcome: "completed" });
  });
});
