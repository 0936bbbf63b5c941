import { expect, test } from "vitest";
import { findCycles } from "./graph.ts";

const cyclesIn = (edges: Record<string, string[]>) =>
  findCycles(Object.keys(edges), (node) => edges[node] ?? []).map((members) => members.toSorted());

test.each<[string, Record<string, string[]>, string[][]]>([
  ["nothing", {}, []],
  ["a chain", { a: ["b"], b: ["c"], c: [] }, []],
  ["a diamond", { a: ["b", "c"], b: ["d"], c: ["d"], d: [] }, []],
  ["one that depends on itself", { a: ["a"] }, [["a"]]],
  ["two", { a: ["b"], b: ["a"] }, [["a", "b"]]],
  [
    "all members, and nobody who only leads there",
    { x: ["a"], a: ["b"], b: ["c"], c: ["a"], y: [] },
    [["a", "b", "c"]],
  ],
  ["two rings that share a node are one group", { a: ["b", "c"], b: ["a"], c: ["a"] }, [["a", "b", "c"]]],
  [
    "two separate rings",
    { a: ["b"], b: ["a", "c"], c: ["d"], d: ["c"] },
    [
      ["c", "d"],
      ["a", "b"],
    ],
  ],
  ["an edge to a node nobody listed", { a: ["z"] }, []],
  ["the same edge twice", { a: ["b", "b"], b: [] }, []],
])("%s", (_, edges, expected) => {
  expect(cyclesIn(edges)).toEqual(expected);
});

/** Asks for each node's edges are counted: a walk over all paths would be exponential on this graph. */
test("a hundred thousand nodes, each looked at once", () => {
  const count = 100_000;
  let looks = 0;
  const next = (node: string) => {
    looks += 1;
    const n = Number(node);
    return n + 2 < count ? [String(n + 1), String(n + 2)] : n + 1 < count ? [String(n + 1)] : ["0"];
  };
  const cycles = findCycles(["0"], next);
  expect(cycles).toHaveLength(1);
  expect(cycles[0]).toHaveLength(count);
  expect(looks).toBe(count);
});
