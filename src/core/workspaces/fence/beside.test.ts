import { expect, test } from "vitest";
import { requireOutOfReach } from "./beside.ts";

const pin = (path: string, write = true) => ({ source: path, target: path, write });
const living = [
  {
    run: "r1",
    ledger: "l1",
    writable: ["/mono", "/cache"],
    pins: [pin("/mono/libs"), pin("/mono/libs/one"), pin("/mono/.git", false)],
    nested: [],
  },
];

test.each([
  ["the same folder", ["/mono", "/cache"], true],
  ["elsewhere, also by a name that begins alike", ["/other", "/mono2/pkg"], true],
  ["a folder around it", ["/"], true],
  ["a folder in it", ["/mono/pkg"], false],
  ["a folder in something else it may write", ["/other", "/cache/npm"], false],
  ["what it has mounted and can't move", ["/mono/libs/one"], true],
  ["what it may only read", ["/mono/.git/objects"], true],
  ["a folder in what it can't move but write", ["/mono/libs/one/src"], false],
])("beside a living agent: %s", (_, places, isAllowed) => {
  const ask = expect(() => requireOutOfReach(places, living));
  if (isAllowed) ask.not.toThrow();
  else ask.toThrow(/lies in .*run r1 is at work.*cox stop r1/);
});
