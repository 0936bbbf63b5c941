import { describe, expect, test } from "vitest";
import { AgentEvent } from "../../../contract/events.ts";
import { promptOf } from "../state/agent-state.ts";
import { Spoken } from "./spoken.ts";
import { replyOf, requestOf, resolvedBy } from "./turns.ts";

const WORDS = { yes: "y", no: "n" };

describe("a request", () => {
  test("for leave, with the options of the screen", () => {
    const prompt = promptOf("permission", {
      tool: "Bash",
      input: "rm a\nrm b",
      options: ["Yes", "Yes, and don't ask again", "No"],
    });
    const request = requestOf(prompt, "p1", "t1");
    expect(AgentEvent.parse(request)).toMatchObject({
      type: "permission_request",
      source: "screen",
      toolName: "Bash",
      permissionTitle: "rm a",
      actionDetails: { command: "rm a\nrm b" },
      permissionOptions: [
        { id: "1", kind: "allow_once" },
        { id: "2", kind: "allow_always" },
        { id: "3", kind: "reject_once" },
      ],
    });
    expect(replyOf(prompt, { optionId: "2" }, WORDS)).toEqual({ option: 2 });
    expect(replyOf(prompt, { decline: true }, WORDS)).toEqual({ accept: false });
    expect(resolvedBy({ optionId: "3" }, request)).toMatchObject({ outcome: "denied", optionId: "3" });
    expect(resolvedBy({ optionId: "1" }, request)).toMatchObject({ outcome: "allowed" });
    expect(resolvedBy(undefined, request)).toMatchObject({ outcome: "cancelled", by: "agent" });
  });

  test("without options it is yes or no, in the program's words", () => {
    const prompt = promptOf("permission", { input: "really?" });
    expect(requestOf(prompt, "p", undefined)).toMatchObject({ permissionOptions: [{ id: "yes" }, { id: "no" }] });
    expect(replyOf(prompt, { optionId: "yes" }, { yes: "ja", no: "nein" })).toEqual({ text: "ja" });
    expect(replyOf(prompt, { decline: true }, { yes: "ja", no: "nein" })).toEqual({ text: "nein" });
  });

  test("a question, answered by choice or in words", () => {
    const questions = [
      { question: "Colour?", options: ["red", "blue"] },
      { question: "Name?", options: [] },
    ];
    const prompt = promptOf("question", { questions });
    expect(AgentEvent.parse(requestOf(prompt, "p", "t"))).toMatchObject({
      type: "question_request",
      questions: [
        { id: "1", text: "Colour?", answer: "choice" },
        { id: "2", text: "Name?", answer: "text" },
      ],
    });
    expect(replyOf(prompt, { answers: { 1: ["blue"], 2: ["Bo"] } }, WORDS)).toEqual({
      answers: [{ option: 2 }, { text: "Bo" }],
    });
  });
});

describe("what was said", () => {
  const said = (asked: string, output: string, screen?: string[]) => {
    const spoken = new Spoken(asked, 10, (line) => /^> ?$/.test(line));
    for (const byte of Buffer.from(output)) spoken.hear(Buffer.from([byte]));
    return spoken.end(screen);
  };
  test.each([
    ["without the echo and the prompt", "hi", "hi\r\nhello\r\n> ", "hello"],
    ["an answer that ends like the question", "hi", "hi\r\nyou said: hi\r\n> ", "you said: hi"],
    ["colours and drawn-over lines", "x", "x\r\n\x1b[31mred\x1b[0m\r\nworking\rdone   \r\n> ", "red\ndone"],
    [
      "more than the rows",
      "x",
      `x\r\n${Array.from({ length: 30 }, (_, at) => `l${at}\r\n`).join("")}> `,
      Array.from({ length: 30 }, (_, at) => `l${at}`).join("\n"),
    ],
    ["a question of several lines, typed as one", "a\nb", "a b\r\nfine\r\n> ", "fine"],
    ["nothing", "x", "x\r\n> ", ""],
  ])("%s", (_, asked, output, expected) => {
    expect(said(asked, output)).toBe(expected);
  });

  test("where it draws instead of printing, the screen below the question", () => {
    const screen = ["title", "❯ hi", "", "● hello", "", "─".repeat(30), "❯", "─".repeat(30), "footer"];
    expect(said("hi", "\x1b[Hdrawn", screen)).toBe("● hello");
  });
});
