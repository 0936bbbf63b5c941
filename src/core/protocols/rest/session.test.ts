import { describe, expect, test } from "vitest";
import {
  codeOf,
  delta,
  type ModelRequest,
  refuses,
  type Script,
  says,
  send,
  serve,
  stop,
  streaming,
  talk,
  text,
  textOf,
} from "../../../../test/support/model-server.ts";

describe("a conversation", () => {
  test("streams, counts, and writes its text and a newline", async () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 2 },
    };
    const server = await serve(says(text("Hel"), text("lo"), stop, { choices: [], usage }));
    const chat = await talk(server.config);
    expect(await chat.turn("hi")).toEqual([
      { type: "turn_started", turn: "t1" },
      { type: "message_chunk", turn: "t1", messageId: "t1.m", text: "Hel" },
      { type: "message_chunk", turn: "t1", messageId: "t1.m", text: "lo" },
      {
        type: "complete",
        turn: "t1",
        outcome: "completed",
        stopReason: "end_turn",
        usage: { input: 6, output: 5, cacheRead: 4, reasoning: 2, model: "m1" },
      },
    ]);
    expect(chat.stdout()).toBe("Hello\n");
    expect(server.asked).toMatchObject([
      {
        url: "/chat/completions",
        authorization: "Bearer sk-secret",
        body: {
          model: "m1",
          stream: true,
          stream_options: { include_usage: true },
          messages: [{ role: "user", content: "hi" }],
        },
      },
    ]);
  });

  test("remembers what was said, thoughts and sources aside, and changes its model", async () => {
    const thoughtful = [
      text("<think>hm"),
      text("m</think>\n"),
      text("4"),
      text("2"),
      { ...stop, citations: ["http://a"] },
    ];
    const server = await serve(says(...thoughtful), says(text("again"), stop));
    const chat = await talk(server.config);
    const first = await chat.turn("what?");
    expect(textOf(first, "reasoning")).toBe("hmm");
    expect(textOf(first)).toBe("42\n\nSources:\n1. http://a");
    await chat.session.send({ type: "set_option", id: "model", value: "m2" });
    await chat.turn("sure?");
    expect(server.asked[1]?.body).toMatchObject({
      model: "m2",
      messages: [
        { role: "user", content: "what?" },
        { role: "assistant", content: "42" },
        { role: "user", content: "sure?" },
      ],
    });
    expect(chat.stdout()).toBe("42\n\nSources:\n1. http://a\nagain\n");
  });

  test("perplexity names its sources with titles and its price", async () => {
    const chunk = {
      ...stop,
      citations: ["http://a", "http://b"],
      search_results: [{ title: "A", url: "http://a" }, { url: "http://b" }],
      usage: { prompt_tokens: 1, completion_tokens: 2, cost: { total_cost: 0.006 } },
    };
    const server = await serve(says(text("x"), chunk));
    const config = { provider: "perplexity", ...server.config, api_key_env: "KEY" };
    const events = await (await talk(config, {})).turn("hi");
    expect(textOf(events)).toBe("x\n\nSources:\n1. A: http://a\n2. http://b");
    expect(events.at(-1)).toMatchObject({ usage: { costUsd: 0.006, costSource: "reported" } });
    expect(server.asked[0]?.body).not.toHaveProperty("stream_options");
  });

  test("reasoning in fields of its own", async () => {
    const server = await serve(says(delta({ reasoning_content: "a" }), delta({ reasoning: "b" }), text("c"), stop));
    const events = await (await talk(server.config)).turn("hi");
    expect([textOf(events, "reasoning"), textOf(events)]).toEqual(["ab", "c"]);
  });

  test("repeated deltas are all kept", async () => {
    const server = await serve(says(text("no "), text("no "), text("no "), stop));
    expect(textOf(await (await talk(server.config)).turn("hi"))).toBe("no no no ");
  });

  test("an image goes along, another file doesn't", async () => {
    const server = await serve(says(text("ok"), stop));
    const chat = await talk(server.config);
    const image = { type: "image", mimeType: "image/png", sha256: "0" } as const;
    const file = { type: "file", mimeType: "text/plain", sha256: "0", name: "a.txt" } as const;
    const sent = chat.session.send({ type: "prompt", promptId: "p", content: [file], delivery: "queue" });
    await expect(sent.catch(codeOf)).resolves.toBe("command.unsupported");
    await chat.session.send({
      type: "prompt",
      promptId: "p",
      content: [{ type: "text", text: "see" }, image],
      delivery: "queue",
    });
    await chat.reader.until("complete");
    expect(server.asked[0]?.body.messages[0]?.content).toEqual([
      { type: "text", text: "see" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${Buffer.from("bytes").toString("base64")}` } },
    ]);
  });

  test("what it is and can do is said at the start", async () => {
    const mcpServers = [{ name: "x", transport: { type: "http", url: "http://x", headers: {} } }] as const;
    const chat = await talk({ base_url: "http://127.0.0.1:9", api_key_env: "" }, { mcpServers });
    await chat.session.close("done");
    expect(await chat.reader.rest()).toMatchObject([
      { type: "session_status", status: "new", can: ["interrupt", "images"] },
      { type: "config_options", options: [{ category: "model", value: "m1" }] },
      { type: "notice", code: "mcp_ignored" },
    ]);
  });

  test("it can't be resumed, nor opened without its key", async () => {
    const resumed = talk({ provider: "xai", api_key_env: "KEY" }, { resume: { sessionId: "s" } });
    await expect(resumed.catch(codeOf)).resolves.toBe("run.not_resumable");
    const keyless = talk({ provider: "xai" }, { env: {} }).catch(codeOf);
    await expect(keyless).resolves.toBe("agent.not_ready");
  });
});

describe("ended by us", () => {
  const endless: Script = (response) => {
    streaming(response, {} as ModelRequest);
    response.write(`data: ${JSON.stringify(text("half an"))}\n\n`);
  };

  test("an interrupt hangs up, keeps what was said, and the next turn goes on from there", async () => {
    const server = await serve(endless, says(text("ok"), stop));
    const chat = await talk(server.config);
    await send(chat.session, "tell me");
    await expect(send(chat.session, "and").catch(codeOf)).resolves.toBe("command.unsupported");
    await chat.reader.until("message_chunk");
    await chat.session.send({ type: "interrupt", turn: "t9" });
    await chat.session.send({ type: "interrupt" });
    expect(await chat.reader.until("complete")).toMatchObject({
      turn: "t1",
      outcome: "interrupted",
      stopReason: "cancelled",
    });
    expect(chat.reader.seen.filter((event) => event.type === "error")).toEqual([]);
    await chat.turn("go on");
    expect(server.asked[1]?.body.messages).toEqual([
      { role: "user", content: "tell me" },
      { role: "assistant", content: "half an" },
      { role: "user", content: "go on" },
    ]);
    expect(chat.stdout()).toBe("half an\nok\n");
  });

  test("an interrupt ends the wait for the next attempt", async () => {
    const server = await serve(refuses(500, "boom"));
    const chat = await talk(server.config);
    await send(chat.session, "hi");
    await chat.reader.until("notice");
    await chat.session.send({ type: "interrupt" });
    expect(await chat.reader.until("complete")).toMatchObject({ outcome: "interrupted" });
    expect(server.asked).toHaveLength(1);
  });

  test("closing, and the signal, end the turn and the events", async () => {
    const abort = new AbortController();
    const server = await serve(endless, endless);
    const closed = await talk(server.config);
    await send(closed.session, "hi");
    await closed.reader.until("message_chunk");
    await closed.session.close("the person left");
    expect(await closed.reader.rest()).toMatchObject([
      { type: "complete", outcome: "interrupted", reason: "the person left" },
    ]);
    await expect(send(closed.session, "late").catch(codeOf)).resolves.toBe("command.unsupported");
    const aborted = await talk(server.config, {}, abort.signal);
    await send(aborted.session, "hi");
    await aborted.reader.until("message_chunk");
    abort.abort(new Error("timeout of the run"));
    expect(await aborted.reader.rest()).toMatchObject([{ type: "complete", reason: "timeout of the run" }]);
  });
});
