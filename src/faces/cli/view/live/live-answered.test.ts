import { expect, test } from "vitest";
import type { EventOf, Question } from "../../../../contract/events.ts";
import { begin, end, opened, permission, resolved } from "../../testing/test-events.ts";
import { liveView } from "./testing/test-live-view.ts";

/** What a person types on while somebody elsewhere answers, and what then becomes of the keys. */
const NOWHERE = "answered by tom@box; your text goes nowhere: Esc or Enter goes on";
const ON = "[a]llow once  [A]lways  [d]eny";

const ask = (pendingId: string, ...questions: Question[]): EventOf<"question_request"> => ({
  type: "question_request",
  pendingId,
  questions,
});

/** One key after the other, each so long after the last. */
function typist({ pause, type }: ReturnType<typeof liveView>) {
  return (text: string, ms: number) => {
    for (const key of text) {
      pause(ms);
      type(key);
    }
  };
}

test.each([100, 400, 700, 5000])("a reason typed at a key per %i ms allows nothing that comes after", (ms) => {
  const scene = liveView({ width: 80 });
  const keys = typist(scene);
  const { show, shown, pause, type, press, sent } = scene;
  show(begin, permission("p0", "one"), permission("p1", "two"), permission("p2", "three"));
  keys("dno", 600);
  show(resolved("p0"));
  keys("t a good Ide A", ms);
  expect(sent).toEqual([]);
  expect(shown().slice(-6)).toEqual([
    "┌ permission (2 more after this)",
    "│ Run one",
    "│ $ one",
    "│ in /work",
    `│ ${NOWHERE}`,
    "└ > not a good Ide A",
  ]);
  type("\r");
  expect(shown().at(-1)).toBe(`└ ${ON}`);
  expect(shown().join("\n")).toContain("$ two");
  keys("aAa1", 499);
  expect(sent).toEqual([]);
  pause(500);
  press("a");
  expect(sent).toEqual([{ type: "answer", pendingId: "p1", answer: { optionId: "y" } }]);
});

test.each<[string, string, Parameters<ReturnType<typeof liveView>["show"]>, string]>([
  ["a reason that is not begun yet", "d", [permission("p0")], "└ >"],
  ["a question's text", "Ada", [ask("p0", { id: "q", text: "Name?", answer: "text" })], "└ > Ada"],
  ["a secret", "Ada", [ask("p0", { id: "q", text: "Key?", answer: "text", secret: true })], "└ > •••"],
  [
    "words instead of a choice",
    "teal",
    [ask("p0", { id: "q", text: "Colour?", answer: "choice", choices: [{ value: "r", label: "Red" }] })],
    "└ > teal",
  ],
])("%s stays until Esc", (_, typed, asked, line) => {
  const scene = liveView({ width: 80 });
  const { show, shown, pause, type, press, sent } = scene;
  show(begin, ...asked, permission("p1", "two"));
  pause();
  for (const key of typed) press(key);
  show(resolved("p0"));
  expect(shown().slice(-2)).toEqual([`│ ${NOWHERE}`, line]);
  typist(scene)("aA1y", 700);
  expect(sent).toEqual([]);
  type("\x1b");
  expect(shown().at(-1)).toBe(`└ ${ON}`);
  press("a");
  expect(sent).toEqual([]);
});

test("a turn that ends takes the field away no sooner", () => {
  const { show, shown, pause, type, press, sent, calls } = liveView({ interactive: true, width: 80 });
  show(opened, begin, permission("p0"));
  pause();
  for (const key of "dno") press(key);
  show({ type: "request_resolved", pendingId: "p0", outcome: "cancelled", by: "agent" }, end);
  expect(shown().slice(-2)).toEqual(["│ no longer asked; your text goes nowhere: Esc or Enter goes on", "└ > no"]);
  type("t\r");
  expect([sent, calls, shown().at(-1)]).toEqual([[], [], ">"]);
});

test("nothing of what is typed while keys rest is kept, where no prompt was begun", () => {
  const { show, shown, type, calls } = liveView({ interactive: true });
  show(opened, begin, permission("p0"));
  type("a\x1b\x04");
  show(resolved("p0"));
  expect([shown().at(-1), calls]).toEqual([">", []]);
});

test("the key for one question does not answer the next", () => {
  const { show, shown, pause, press, sent } = liveView();
  const sure = (id: string): Question => ({ id, text: `${id}?`, answer: "boolean" });
  show(begin, ask("p0", sure("one"), sure("two")));
  pause();
  press("y");
  press("y");
  expect(sent).toEqual([]);
  expect(shown()).toContain("│ two?");
  pause();
  press("n");
  expect(sent).toMatchObject([{ answer: { answers: { one: ["true"], two: ["false"] } } }]);
});

test("asked anew under the same name, it is drawn anew", () => {
  const { show, shown, pause, press, sent } = liveView();
  show(begin, permission("p0", "ls"));
  pause();
  show(resolved("p0"), permission("p0", "rm -rf /"));
  expect(shown().join("\n")).toContain("$ rm -rf /");
  press("a");
  expect(sent).toEqual([]);
});

test("a key that is held goes with what it was for", () => {
  const { show, shown, pause, type, sent } = liveView();
  show(begin, permission("p0", "one"), permission("p1", "two"));
  pause();
  type("a");
  show(resolved("p0"));
  expect(shown().join("\n")).toContain("$ two");
  pause(300);
  expect(sent).toEqual([]);
});
