import { defineConfig } from "vitest/config";
import { longTests } from "./test/long-tests.ts";

const shared = {
  // They mostly wait for programs they started: more of them at once than there are cores.
  maxWorkers: 4,
  testTimeout: 60_000,
  // Real processes on a busy machine wait longer; they are not tried again.
  hookTimeout: 60_000,
};

/** They leave nothing behind in their process, so they need none of their own for each file: that is half of what they cost. */
const pure = ["contract", "core/protocols", "cluster/operator"].map((folder) => `src/${folder}/**/*.test.ts`);

export default defineConfig({
  test: {
    reporters: ["default", ["./test/gate/reporter.ts", { suite: "npm test" }]],
    projects: [
      { test: { ...shared, name: "pure", include: [...pure, "web/src/**/*.test.ts"], isolate: false } },
      {
        test: {
          ...shared,
          name: "whole",
          include: [
            "src/**/*.test.ts",
            "bench/**/*.test.ts",
            "test/*.test.ts",
            "test/gate/*.test.ts",
            "test/conformance/*.test.ts",
          ],
          exclude: [
            ...pure,
            // The conformance list is run with the real agents.
            "test/conformance/demo.test.ts",
            "test/conformance/isolated.test.ts",
            ...longTests,
          ],
        },
      },
      {
        test: {
          ...shared,
          name: "end to end",
          include: ["test/e2e/*.test.ts", "test/browser/*.test.ts"],
          exclude: ["test/browser/large.test.ts", ...longTests],
          // See test/quarantine.ts.
          retry: 1,
        },
      },
    ],
  },
});
