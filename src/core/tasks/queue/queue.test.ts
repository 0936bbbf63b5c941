import { describe, expect, test } from "vitest";
import { inOrder, pickNext, type Waiting } from "./queue.ts";

/** `a1` is the entry of project a that came first, `a2!5` one of priority 5. */
function entries(text: string): (Waiting & { name: string })[] {
  return text
    .split(" ")
    .filter(Boolean)
    .map((name, index) => ({
      name,
      project: name[0] ?? "",
      order: String(index).padStart(4, "0"),
      priority: Number(name.split("!")[1] ?? 0),
    }));
}

const projects = (text: string) => text.split("").map((project) => ({ project }));

describe("who starts next", () => {
  test.each<[string, string, string, string, number, string | undefined]>([
    ["nobody waits", "", "", "", 2, undefined],
    ["the first", "a1 a2", "", "", 2, "a1"],
    ["nobody, at the limit", "a1", "bb", "", 2, undefined],
    ["nobody, above the limit", "a1", "bbb", "", 2, undefined],
    ["below the limit", "a1", "b", "", 2, "a1"],
    ["the higher priority, though it came later", "a1 a2!5", "", "", 1, "a2!5"],
    ["the lower one last", "a1!-5 a2", "", "", 1, "a2"],
    ["the first of equals", "a1!5 a2!5", "", "", 1, "a1!5"],
    ["the project that runs less", "a1 b1", "a", "", 3, "b1"],
    ["priority before fairness", "a1!1 b1", "aa", "a", 3, "a1!1"],
    ["the project whose turn was longer ago", "a1 b1", "", "ba", 1, "b1"],
    ["a project that never had a turn", "a1 b1 c1", "", "ab", 1, "c1"],
    ["running counts more than turns", "a1 b1", "b", "ba", 3, "a1"],
  ])("%s", (_, waiting, running, recent, maxConcurrent, expected) => {
    const next = pickNext(entries(waiting), projects(running), recent.split(""), { maxConcurrent });
    expect(next?.name).toBe(expected);
  });

  test("the order in which they are listed makes no difference", () => {
    const waiting = entries("a1 a2 b1!3 b2 c1!3");
    const pick = (list: typeof waiting) => pickNext(list, [], [], { maxConcurrent: 1 })?.name;
    expect(pick(waiting.toReversed())).toBe(pick(waiting));
  });
});

test.each<[string, string, string, string]>([
  ["one project: as they came", "a1 a2 a3", "", "a1 a2 a3"],
  ["two projects take turns", "a1 a2 a3 b1 b2", "", "a1 b1 a2 b2 a3"],
  ["after the one that runs", "a1 a2 b1 b2", "a", "b1 a1 b2 a2"],
  ["each priority for itself", "a1 a2 b1 a3!1 b2!1", "", "a3!1 b2!1 a1 b1 a2"],
])("positions: %s", (_, waiting, running, expected) => {
  const order = inOrder(entries(waiting), projects(running), []).map(({ name }) => name);
  expect(order.join(" ")).toBe(expected);
});
