import { describe, expect, test } from "vitest";
import type { EventOf } from "../../../contract/events.ts";
import type { OpenRequest } from "../../../contract/sessions/transcript.ts";
import { permission } from "../testing/test-events.ts";
import type { Key } from "../view/live/keys.ts";
import { decisionIn, emptyInbox, follow, type Inbox, notSent, openIn, pressKey, type Waiting } from "./inbox-state.ts";

const question: EventOf<"question_request"> = {
  type: "question_request",
  pendingId: "q0",
  questions: [{ id: "a", text: "Name?", answer: "text" }],
};

let seq = 0;
function waiting(name: string, request: OpenRequest = permission("p0")): Waiting {
  seq += 1;
  const at = "2026-08-01T11:00:00.000Z";
  return {
    runId: name,
    dir: "/",
    request: { ...request, seq, at },
    name,
    agent: "demo",
    cwd: "/work",
    canRemember: true,
  };
}

const one = waiting("one");
const two = waiting("two");
const three = waiting("three");
const asked = waiting("asked", question);
const all = [one, two, three];
const none = () => "answered by tom";
const begin = (list: readonly Waiting[] = all) => follow(emptyInbox, list, none);
const settled = { isSettled: true, isRead: true };
const early = { isSettled: false, isRead: true };
const names: Readonly<Record<string, Key["key"]>> = { "←": "left", "→": "right", "⏎": "enter", "⎋": "escape" };

/** Letters, or the signs above. */
function type(inbox: Inbox, keys: string, time = settled) {
  let last: ReturnType<typeof pressKey> = { inbox };
  for (const sign of keys) {
    const name = names[sign];
    last = pressKey(last.inbox, name === undefined ? { key: "text", text: sign } : ({ key: name } as Key), time);
  }
  return last;
}
const at = ({ focus }: Inbox) => focus?.one.name;

describe("moving", () => {
  test.each([
    ["j", "two"],
    ["jj", "three"],
    ["jjj", "three"],
    ["→→←", "two"],
    ["jk", "one"],
    ["k", "one"],
  ])("%s", (keys, name) => {
    expect(at(type(begin(), keys).inbox)).toBe(name);
    expect(at(type(begin(), keys, early).inbox)).toBe(name); // harmless, so it needs no rest
  });

  test("while something is typed letters are text, and so are the arrows", () => {
    const { inbox } = type(begin([asked, one]), "jk?q←");
    expect(inbox.focus).toMatchObject({ one: asked, answering: { draft: { text: "jk?q", cursor: 3 } } });
    expect(at(type(begin([asked, one]), "→").inbox)).toBe("one");
  });
});

describe("answering", () => {
  test.each([
    ["a", { answer: { optionId: "y" } }],
    ["A", { answer: { optionId: "y" }, remember: "allow" }],
    ["d⏎", { answer: { optionId: "n" } }],
    ["dno⏎", { answer: { optionId: "n", reason: "no" } }],
    ["2", { answer: { optionId: "Y" } }],
  ])("%s, and the next is shown", (keys, reply) => {
    const { inbox, action } = type(begin(), keys);
    expect(action).toEqual({ do: "answer", one, reply });
    expect([at(inbox), openIn(inbox)]).toEqual(["two", [two, three]]);
  });

  test("a question", () => {
    expect(type(begin([asked]), "ada⏎").action).toMatchObject({ reply: { answer: { answers: { a: ["ada"] } } } });
  });

  test.each(["a", "A", "d⏎", "1", "q", "?"])("%s does nothing before the keys had their rest", (keys) => {
    expect(type(begin(), keys, early)).toEqual({ inbox: begin() });
  });

  test.each(["a", "A", "1"])("%s shows more of what was not all on the screen", (key) => {
    const { inbox, action } = type(begin(), key, { isSettled: true, isRead: false });
    expect([action, inbox]).toEqual([{ do: "more" }, begin()]);
  });

  test("a no needs no reading", () => {
    expect(type(begin(), "d⏎", { isSettled: true, isRead: false }).action).toMatchObject({ do: "answer" });
  });

  test("what is pasted answers nothing", () => {
    expect(pressKey(begin(), { key: "text", text: "a", pasted: true }, settled)).toEqual({ inbox: begin() });
    expect(pressKey(emptyInbox, { key: "text", text: "q", pasted: true }, settled)).toEqual({ inbox: emptyInbox });
  });

  test.each([
    ["a", settled, "allow once"],
    ["d", settled, "deny"],
    ["j", settled, undefined],
    ["q", settled, undefined],
    ["a", early, undefined],
    ["a", { isSettled: true, isRead: false }, undefined],
  ])("%s, %j: what it decides", (text, time, does) => {
    expect(decisionIn(begin(), { key: "text", text }, time)).toBe(does);
    expect(decisionIn({ ...begin(), help: true }, { key: "text", text }, time)).toBeUndefined();
  });

  test("after the last one comes the first", () => {
    expect(at(type(begin(), "jja").inbox)).toBe("one");
  });

  test("after all of them nothing, until another comes", () => {
    const { inbox } = type(begin([one]), "a");
    expect(inbox.focus).toBeUndefined();
    expect(at(follow(inbox, [one, two], none))).toBe("two");
  });

  test("what was refused is asked again", () => {
    expect(at(notSent(type(begin([one]), "a").inbox, one))).toBe("one");
  });
});

describe("what others do", () => {
  test("what came meanwhile doesn't take the focus", () => {
    expect(at(follow(type(begin([two]), "").inbox, [one, two], none))).toBe("two");
  });

  test("what is answered elsewhere makes way for the next", () => {
    expect(at(follow(type(begin(), "j").inbox, [one, three], none))).toBe("three");
    expect(follow(begin([one]), [], none).focus).toBeUndefined();
  });

  test("the text of somebody who is typing stays text, and allows nothing that comes after", () => {
    const over = follow(type(begin(), "dbeca").inbox, [two, three], none);
    expect(over.focus?.answering).toMatchObject({
      stage: "over",
      because: "answered by tom",
      was: { draft: { text: "beca" } },
    });
    const { inbox, action } = type(over, "use a");
    expect([at(inbox), action]).toEqual(["one", undefined]);
    expect(type(inbox, "⏎")).toMatchObject({ inbox: { focus: { one: two, answering: { stage: "choose" } } } });
    expect(type(inbox, "⏎").action).toBeUndefined();
  });

  test("what is asked anew under the same name was not read yet", () => {
    const typing = type(begin([one]), "dno").inbox;
    const anew = waiting("one");
    expect(follow(typing, [anew], none).focus).toMatchObject({ one, answering: { stage: "over" } });
    expect(follow(begin([one]), [anew], none).focus?.one).toBe(anew);
  });
});

test("? shows the keys, any key goes back", () => {
  const { inbox } = type(begin(), "?");
  expect(inbox.help).toBe(true);
  expect(type(inbox, "a")).toEqual({ inbox: { ...inbox, help: false } });
});

test("q leaves, also where nothing waits", () => {
  expect(type(begin(), "q").action).toEqual({ do: "leave" });
  expect(type(emptyInbox, "q", early).action).toEqual({ do: "leave" });
});
