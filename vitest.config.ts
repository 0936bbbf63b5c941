import { defineConfig } from "vitest/config";
import { longTests } from "./test/long-tests.ts";

export default defineConfig({
  test: {
    include: [
      "src/**/*.test.ts",
      "web/src/**/*.test.ts",
      "test/*.test.ts",
      "test/conformance/*.test.ts",
      "test/e2e/*.test.ts",
      "test/browser/*.test.ts",
    ],
    // The conformance list is run with the real agents.
    exclude: [
      "test/conformance/demo.test.ts",
      "test/conformance/isolated.test.ts",
      "test/browser/large.test.ts",
      ...longTests,
    ],
    // They mostly wait for programs they started: more of them at once than there are cores.
    maxWorkers: 4,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // Real processes on a busy machine: what fails once and then passes is printed as such, not hidden.
    retry: 2,
  },
});
