import { defineConfig } from "vitest/config";
import { longTests } from "./test/long-tests.ts";

/** Kills, fuzz, load, and what takes long: too much for every change, run before one lands. */
const shared = { testTimeout: 300_000, hookTimeout: 60_000 };
/** They compare one moment with another: alone, so that nothing else differs between the two. */
const measuring = ["test/faults/server-streams.test.ts", "test/browser/large.test.ts"];

/** The random hands in the inbox are a property test: what fails once has failed. */
const isEndToEnd = (file: string) => /^test\/(e2e|browser)\//.test(file) && !file.includes("random");

export default defineConfig({
  test: {
    reporters: ["default", ["./test/gate/reporter.ts", { suite: "faults" }]],
    projects: [
      {
        test: {
          ...shared,
          name: "alone",
          include: measuring,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...shared,
          name: "side by side",
          include: ["test/faults/**/*.test.ts", ...longTests.filter((file) => !isEndToEnd(file))],
          exclude: measuring,
          // Some of them mostly wait.
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: "end to end",
          include: longTests.filter(isEndToEnd),
          maxWorkers: 3,
          // See test/quarantine.ts.
          retry: 1,
          sequence: { groupOrder: 0 },
        },
      },
    ],
  },
});
