import { describe, expect, test } from "vitest";
import { last, openScene } from "../../../../../test/support/headless-scene.ts";
import type { AgentEvent } from "../../../../contract/events.ts";
import { turnWords } from "../../../agents/launch/turn-words.ts";
import { textDialect } from "./dialect.ts";

const said = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "message_chunk" ? [event.text] : [])).join("");

describe("a program that speaks text", () => {
  test("is told the prompt on stdin; what it prints is one message, as it comes, JSON or not", async () => {
    const scene = await openScene(textDialect);
    const process = await scene.prompt("do it");
    process.say("", "first", "", '{"type":"result"}', "{", "}");
    const chunks = await scene.until("message_chunk");
    expect(chunks.map(({ type }) => type)).toEqual(["session_status", "turn_started", "message_chunk"]);
    process.exit(0);
    const events = await scene.until("complete");
    expect(said([...chunks, ...events])).toBe('\nfirst\n\n{"type":"result"}\n{\n}');
    expect(last(events)).toMatchObject({ turn: "t1", outcome: "completed" });
    expect(scene.launches).toEqual([{ args: [], stdin: "do it" }]);
  });

  test("has one more process for the next prompt, and another message", async () => {
    const scene = await openScene(textDialect);
    for (const turn of ["t1", "t2"]) {
      const process = await scene.prompt(turn);
      process.say("done");
      process.exit(0);
      const events = await scene.until("complete");
      expect(events.find(({ type }) => type === "message_chunk")).toMatchObject({
        messageId: `${turn}.m1`,
        text: "done",
      });
    }
    expect(scene.launches.map(({ stdin }) => stdin)).toEqual(["t1", "t2"]);
  });

  test("that prints nothing has worked if it ends in order", async () => {
    const scene = await openScene(textDialect);
    (await scene.prompt("x")).exit(0);
    expect(last(await scene.until("complete"))).toMatchObject({ outcome: "completed" });
  });

  test.each([
    [3, "no such model\n", "exit code 3: no such model"],
    [3, "", "the agent exited with code 3"],
  ])("that exits with %i has failed, and its stderr says why: %j", async (code, stderr, message) => {
    const scene = await openScene(textDialect);
    const process = await scene.prompt("x");
    process.say("halfway");
    process.exit(code, stderr);
    const events = await scene.until("complete");
    expect(events.find(({ type }) => type === "error")).toMatchObject({ category: "process", message });
    expect(last(events)).toMatchObject({ outcome: "failed", reason: message });
  });

  test("is ended by an interrupt, and takes the next prompt", async () => {
    const scene = await openScene(textDialect);
    const process = await scene.prompt("x");
    process.say("halfway");
    await scene.until("message_chunk");
    await scene.session.send({ type: "interrupt" });
    expect(process.stopped).not.toEqual([]);
    expect(last(await scene.until("complete"))).toMatchObject({ outcome: "interrupted" });
    (await scene.prompt("y")).exit(0);
    expect(last(await scene.until("complete"))).toMatchObject({ turn: "t2", outcome: "completed" });
  });

  test("says once that it asks nobody, where people wanted to be asked", async () => {
    const scene = await openScene(textDialect, { permissions: "ask" });
    expect(last(await scene.until("notice"))).toMatchObject({ code: "never_asks" });
  });
});

describe("a prompt as an argument", () => {
  const words = (prompt: string) => turnWords({ model: "-m {model}", resume: "", fork: "", prompt });

  test.each([
    ["-p {prompt}", ["-m", "big", "-p", "- a $HOME {model}"]],
    ["--prompt={prompt}", ["-m", "big", "--prompt=- a $HOME {model}"]],
    ["-- {prompt}", ["-m", "big", "--", "- a $HOME {model}"]],
  ])("by %j: stdin is empty, and the prompt is one word", async (flag, args) => {
    const scene = await openScene(textDialect, { model: "big", turnWords: words(flag) });
    await scene.prompt("- a $HOME {model}");
    expect(scene.launches).toEqual([{ args, stdin: "" }]);
  });

  test.each(["x".repeat(128 * 1024), "a\0b"])(
    "that no program can be given is refused, with the way out",
    async (prompt) => {
      const scene = await openScene(textDialect, { turnWords: words("{prompt}") });
      await expect(scene.prompt(prompt)).rejects.toThrow(/can't be an argument .* remove prompt_flag/);
    },
  );
});
