import { describe, expect, test } from "vitest";
import type { Answer } from "../../../../contract/commands.ts";
import type { EventOf, Question } from "../../../../contract/events.ts";
import type { OpenRequest } from "../../../../contract/sessions/transcript.ts";
import { type Answering, beginAnswering, decisionOf, press } from "./answering.ts";
import { KeyReader } from "./keys.ts";

/** Presses the keys; what came of it. */
function typed(request: OpenRequest, keys: string, isRead = true): Answering | Answer | "shows more" {
  let answering = beginAnswering(request);
  for (const letter of keys) {
    for (const key of new KeyReader().read(letter)) {
      const result = press(request, answering, key, { isRead });
      if ("reply" in result) return result.reply.answer;
      if ("show" in result) return "shows more";
      if ("leave" in result) throw new Error(`${JSON.stringify(letter)} left what is still open`);
      answering = result.next;
    }
  }
  return answering;
}

const permission = (
  ...permissionOptions: EventOf<"permission_request">["permissionOptions"]
): EventOf<"permission_request"> => ({
  type: "permission_request",
  pendingId: "p0",
  permissionTitle: "x",
  source: "protocol",
  actionType: "other",
  actionDetails: {},
  permissionOptions,
});
const once = { id: "once", label: "Yes", kind: "allow_once" } as const;
const never = { id: "never", label: "Never", kind: "reject_always" } as const;

const ESC = "\x1b";

describe("a permission", () => {
  test.each<[string, OpenRequest, Answering | Answer]>([
    ["a", permission(once), { optionId: "once" }],
    ["a", permission(never), { stage: "choose" }],
    ["A", permission(once), { stage: "choose" }],
    ["x\r", permission(once), { stage: "choose" }],
    ["d\r", permission(once, never), { optionId: "never" }],
    ["d\r", permission(once), { decline: true }],
    ["dno\r", permission(once), { decline: true, reason: "no" }],
    [`d${ESC}a`, permission(once), { optionId: "once" }],
    ["1", permission(once), { optionId: "once" }],
    ["2ugh\r", permission(once, never), { optionId: "never", reason: "ugh" }],
    ["9", permission(once), { stage: "choose" }],
  ])("%j", (keys, request, expected) => {
    expect(typed(request, keys)).toEqual(expected);
  });
});

test("always is a rule where one can say it, else the agent's own always", () => {
  const [key] = new KeyReader().read("A");
  if (key === undefined) throw new Error("no key");
  const ever = { id: "ever", label: "Always", kind: "allow_always" } as const;
  const pressed = (canRemember: boolean) => press(permission(once, ever), { stage: "choose" }, key, { canRemember });
  expect(pressed(true)).toEqual({ reply: { answer: { optionId: "once" }, remember: "allow" } });
  expect(pressed(false)).toEqual({ reply: { answer: { optionId: "ever" } } });
});

describe("a permission of which not all was seen", () => {
  test.each<[string, Answering | Answer | "shows more"]>([
    ["a", "shows more"],
    ["1", "shows more"],
    [" ", "shows more"],
    ["d\r", { optionId: "never" }],
    ["2\r", { optionId: "never" }],
  ])("%j", (keys, expected) => {
    expect(typed(permission(once, never), keys, false)).toEqual(expected);
  });
});

const ask = (...questions: Question[]): OpenRequest => ({ type: "question_request", pendingId: "p1", questions });
const choices = ["red", "green", "blue"].map((value) => ({ value, label: value.toUpperCase() }));
const many = Array.from({ length: 12 }, (_, index) => ({ value: `v${index + 1}`, label: `L${index + 1}` }));
const one = (fields: Partial<Question>): OpenRequest => ask({ id: "q", text: "?", answer: "choice", ...fields });
const values = (...list: string[]): Answer => ({ answers: { q: list } });

describe("a question", () => {
  test.each<[string, OpenRequest, Answer]>([
    ["2", one({ choices }), values("green")],
    ["Green\r", one({ choices }), values("green")],
    ["teal\r", one({ choices, allowOther: true }), values("teal")],
    ["12\r", one({ choices: many }), values("v12")],
    ["13\r", one({ answer: "choices", choices }), values("red", "blue")],
    ["1131\r", one({ answer: "choices", choices }), values("blue", "red")],
    ["2blue\r", one({ answer: "choices", choices }), values("green", "blue")],
    ["\r", one({ answer: "choices", choices }), values()],
    ["y", one({ answer: "boolean" }), values("true")],
    ["N", one({ answer: "boolean" }), values("false")],
    ["42\r", one({ answer: "number" }), values("42")],
    ["free text\r", one({ answer: "text" }), values("free text")],
    ["oops\x17fine\r", one({ answer: "text" }), values("fine")],
    [ESC, one({ answer: "text" }), { decline: true }],
    [`x${ESC}y\r`, one({ answer: "text" }), values("y")],
    ["\r", ask(), { answers: {} }],
  ])("%j", (keys, request, answer) => {
    expect(typed(request, keys)).toEqual(answer);
  });

  test("what doesn't fit says so and can be mended", () => {
    expect(typed(one({ choices }), "teal\r")).toMatchObject({ problem: expect.stringContaining('no choice "teal"') });
    expect(typed(one({ answer: "number" }), "x\r")).toMatchObject({ problem: "a number is needed" });
    expect(typed(one({ answer: "number" }), "x\r\x7f7")).toMatchObject({ problem: undefined, draft: { text: "7" } });
  });

  test("several in a row", () => {
    const two = ask({ id: "a", text: "?", answer: "boolean" }, { id: "b", text: "?", answer: "text" });
    expect(typed(two, "yhello\r")).toEqual({ answers: { a: ["true"], b: ["hello"] } });
  });
});

describe("what a key decides all by itself", () => {
  const twice = ask({ id: "a", text: "?", answer: "boolean" }, { id: "b", text: "?", answer: "text" });
  test.each<[string, OpenRequest, string | undefined]>([
    ["a", permission(once), "allow once"],
    ["A", permission(once, { id: "ever", label: "Always", kind: "allow_always" }), "always allow"],
    ["d", permission(once), "deny"],
    ["1", permission(once), "Yes"],
    ["2", permission(once, never), "Never"],
    ["3", permission(once, never), undefined],
    ["x", permission(once), undefined],
    [" ", permission(once), undefined],
    [ESC, permission(once), undefined],
    ["2", one({ choices }), "answer GREEN"],
    ["2", one({ answer: "choices", choices }), undefined],
    ["1", one({ choices: many }), undefined],
    ["y", one({ answer: "boolean" }), "answer yes"],
    ["n", twice, "answer no"],
    ["a", one({ answer: "text" }), undefined],
    [ESC, one({ answer: "text" }), "decline"],
  ])("%j", (letter, request, does) => {
    const [key] = new KeyReader().read(letter);
    if (key === undefined) throw new Error("no key");
    expect(decisionOf(request, beginAnswering(request), key, {})).toBe(does);
  });

  test("nothing while a reason is typed, or of what was not seen", () => {
    const request = permission(once);
    const [a, escape] = new KeyReader().read(`a${ESC}`);
    if (a === undefined || escape === undefined) throw new Error("no key");
    const typing = typed(request, "d") as Answering;
    expect([a, escape].map((key) => decisionOf(request, typing, key, {}))).toEqual([undefined, undefined]);
    expect(decisionOf(request, beginAnswering(request), a, { isRead: false })).toBeUndefined();
  });
});
