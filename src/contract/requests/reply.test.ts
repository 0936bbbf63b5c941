import { describe, expect, test } from "vitest";
import type { EventOf, Question } from "../events.ts";
import type { OpenRequest } from "../sessions/transcript.ts";
import { answersOf, isAnswered, type Reply, replyFrom, replyOf, valuesFrom, type Word } from "./reply.ts";

type Options = EventOf<"permission_request">["permissionOptions"];
const once = { id: "ok", label: "Yes", kind: "allow_once" } as const;
const always = { id: "ok-always", label: "Yes, and don't ask again", kind: "allow_always" } as const;
const no = { id: "no", label: "No", kind: "reject_once" } as const;
const never = { id: "never", label: "Never", kind: "reject_always" } as const;

const permission = (permissionOptions: Options): EventOf<"permission_request"> => ({
  type: "permission_request",
  pendingId: "p0",
  permissionTitle: "ls",
  source: "protocol",
  actionType: "execute",
  actionDetails: {},
  permissionOptions,
});

const answerFrom = (request: OpenRequest, typed: readonly string[], reason?: string) =>
  replyFrom(request, typed, { canRemember: false, reason }).answer;

describe("permissions", () => {
  test.each([
    ["allow", [once, always, no], { optionId: "ok" }],
    ["always", [once, always, no], { optionId: "ok-always" }],
    ["deny", [once, always, no], { optionId: "no" }],
    ["deny", [once, never], { optionId: "never" }],
    ["deny", [once], { decline: true }],
    ["never", [once, never], { optionId: "never" }],
    ["yes", [once, no], { optionId: "ok" }],
    ["2", [once, no], { optionId: "no" }],
  ])("%s", (word, options, answer) => {
    expect(answerFrom(permission(options), [word])).toEqual(answer);
  });

  test("a reason goes along", () => {
    expect(answerFrom(permission([no]), ["deny"], "not today")).toEqual({ optionId: "no", reason: "not today" });
    expect(answerFrom(permission([]), ["deny"], "not today")).toEqual({ decline: true, reason: "not today" });
  });

  test.each<[Word, Options, Reply | undefined]>([
    ["allow", [once, always, no], { answer: { optionId: "ok" } }],
    ["always", [once, always, no], { answer: { optionId: "ok" }, remember: "allow" }],
    ["always", [once, no], { answer: { optionId: "ok" }, remember: "allow" }],
    ["always", [always, no], { answer: { optionId: "ok-always" }, remember: "allow" }],
    ["always", [no], undefined],
    ["deny", [once, always, no], { answer: { optionId: "no" } }],
  ])("%s, where a rule can say it, of %j", (word, options, reply) => {
    expect(replyOf(permission(options), word, true)).toEqual(reply);
  });

  test("the agent's own always is still there by its name, and stores no rule", () => {
    const reply = replyFrom(permission([once, always]), ["ok-always"], { canRemember: true });
    expect(reply).toEqual({ answer: { optionId: "ok-always" } });
  });

  test("our words go by kind, whatever the agent calls its options", () => {
    const sly = [
      { id: "deny", label: "deny", kind: "allow_always" },
      { id: "x", label: "allow", kind: "reject_once" },
    ] as const;
    expect(answerFrom(permission([...sly]), ["deny"])).toEqual({ optionId: "x" });
    expect(() => answerFrom(permission([...sly]), ["allow"])).toThrow(/no answer "allow"/);
  });

  test.each([
    [["allow"], [always, no]],
    [["always"], [once, no]],
    [["maybe"], [once, no]],
    [["3"], [once, no]],
    [[], [once]],
    [["allow", "it"], [once]],
  ])("%j does not fit", (words, options) => {
    expect(() => answerFrom(permission(options), words)).toThrow(/request p0: .*; use .*deny, or one of/);
  });
});

const ask = (fields: Partial<Question>): Question => ({ id: "q1", text: "Which?", answer: "text", ...fields });
const choices = [
  { value: "r", label: "Red" },
  { value: "g", label: "Green" },
];

describe("questions", () => {
  test.each<[Partial<Question>, string, string[] | string]>([
    [{ answer: "text" }, " as typed ", [" as typed "]],
    [{ answer: "number" }, " 4.5 ", ["4.5"]],
    [{ answer: "number" }, "four", "a number is needed"],
    [{ answer: "number" }, "", "a number is needed"],
    [{ answer: "boolean" }, "Y", ["true"]],
    [{ answer: "boolean" }, "no", ["false"]],
    [{ answer: "boolean" }, "perhaps", "answer yes or no"],
    [{ answer: "choice", choices }, "g", ["g"]],
    [{ answer: "choice", choices }, "green", ["g"]],
    [{ answer: "choice", choices }, "1", ["r"]],
    [{ answer: "choice", choices }, "blue", 'no choice "blue"; choose from 1 Red, 2 Green'],
    [{ answer: "choice", choices }, "", "choose one of 1 Red, 2 Green"],
    [{ answer: "choice", choices, allowOther: true }, "blue", ["blue"]],
    [{ answer: "choice", choices, allowOther: true }, "", "choose one of 1 Red, 2 Green"],
    [{ answer: "choices", choices }, "2, red,r", ["g", "r"]],
    [{ answer: "choices", choices }, "", []],
    [{ answer: "choices", choices }, "1,7", 'no choice "7"; choose from 1 Red, 2 Green'],
  ])("%j answered %j", (question, text, expected) => {
    const result = valuesFrom(ask(question), text);
    expect("problem" in result ? result.problem : result.values).toEqual(expected);
  });

  const two: EventOf<"question_request"> = {
    type: "question_request",
    pendingId: "p1",
    questions: [ask({}), ask({ id: "q2", text: "Sure?", answer: "boolean" })],
  };

  test("one text each, in order", () => {
    expect(answerFrom(two, ["blue", "yes"])).toEqual({ answers: { q1: ["blue"], q2: ["true"] } });
  });

  test("too few, and the wrong kind, say which", () => {
    expect(() => answerFrom(two, ["blue"])).toThrow(/has 2 question\(s\), got 1 .*1\. Which\? {2}2\. Sure\?/);
    expect(() => answerFrom(two, ["blue", "perhaps"])).toThrow("request p1: Sure?: answer yes or no");
  });

  test("a form is answered when each question is; nothing ticked of several choices is an answer", () => {
    const form = { ...two, questions: [...two.questions, ask({ id: "q3", answer: "choices", choices })] };
    expect(isAnswered(form, { q1: ["blue"], q2: ["true"] })).toBe(true);
    expect(isAnswered(form, { q1: [""], q2: ["true"] })).toBe(false);
    expect(answersOf(form, { q1: ["blue"], other: ["x"] })).toEqual({ answers: { q1: ["blue"], q2: [], q3: [] } });
  });
});
