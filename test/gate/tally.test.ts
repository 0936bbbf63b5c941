import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { quarantine } from "../quarantine.ts";
import { complaintsAbout, type SuiteTally, totalOf } from "./tally.ts";

const tally = (suite: string, more: Partial<SuiteTally> = {}): SuiteTally => ({
  suite,
  passed: 1,
  failed: 0,
  skipped: [],
  triedAgain: [],
  ...more,
});

describe("a round of suites", () => {
  test.each<[string, SuiteTally[], string[]]>([
    ["everything ran", [tally("npm test"), tally("cluster")], []],
    ["a suite is missing", [tally("npm test")], ["cluster: has not been run, or did not reach its end"]],
    ["a suite ran nothing", [tally("npm test", { passed: 0 }), tally("cluster")], ["npm test: ran nothing"]],
    [
      "something was skipped",
      [tally("npm test", { skipped: ["a > b"] }), tally("cluster")],
      ["a > b: was skipped; what it needs has to be installed"],
    ],
    ["there is no cluster here", [tally("npm test"), tally("cluster", { passed: 0, skipped: ["a > b"] })], []],
    ["the cluster suite is empty", [tally("npm test"), tally("cluster", { passed: 0 })], ["cluster: ran nothing"]],
  ])("%s", (_, tallies, complaints) => {
    expect(complaintsAbout(["npm test", "cluster"], tallies)).toEqual(complaints);
  });

  test("is summed up in one line", () => {
    const tallies = [tally("a", { passed: 10, failed: 1 }), tally("b", { passed: 5, skipped: ["x", "y"] })];
    expect(totalOf(tallies)).toBe("15 passed, 1 failed, 2 skipped");
    expect(totalOf([])).toBe("0 passed, 0 failed, 0 skipped");
  });
});

describe("the quarantine", () => {
  test("is short, and each entry has its reason", () => {
    expect(quarantine.length).toBeLessThanOrEqual(10);
    for (const { file, reason } of quarantine) expect(reason.length, file).toBeGreaterThan(30);
  });

  test("names every place that tries a test again, and no other", () => {
    const tryingAgain = [...filesIn("."), ...["src", "test", "web/src"].flatMap((folder) => filesIn(folder, true))]
      .filter((file) => /\bretry: [1-9]/.test(readFileSync(file, "utf8")))
      .sort();
    expect(tryingAgain).toEqual(quarantine.map(({ file }) => file).sort());
  });
});

const filesIn = (folder: string, recursive = false): string[] =>
  readdirSync(folder, { recursive, encoding: "utf8" })
    .filter((file) => /\.(config|test)\.ts$/.test(file) && !file.includes("node_modules"))
    .map((file) => join(folder, file));
