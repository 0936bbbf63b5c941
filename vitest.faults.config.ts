import { defineConfig } from "vitest/config";
import { longTests } from "./test/long-tests.ts";

/** Kills, fuzz, load, and what takes long: too much for every change, run before one lands. */
const shared = { testTimeout: 300_000, hookTimeout: 60_000 };
/** They compare one moment with another: alone, so that nothing else differs between the two. */
const measuring = ["test/faults/server-streams.test.ts", "test/browser/large.test.ts"];

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
          include: ["test/faults/**/*.test.ts", ...longTests],
          exclude: measuring,
          // Some of them mostly wait.
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
    ],
  },
});
