import { defineConfig } from "vitest/config";

/** The conformance list against the real agents, installed in test/real-agents, and the demo. */
export default defineConfig({
  test: {
    include: ["test/real-agents/*.test.ts", "test/conformance/demo.test.ts", "test/conformance/isolated.test.ts"],
    globalSetup: ["test/real-agents/install.ts"],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    maxConcurrency: 4,
    // See test/quarantine.ts.
    retry: 1,
    fileParallelism: false,
    reporters: ["default", "./test/real-agents/results-reporter.ts", ["./test/gate/reporter.ts", { suite: "agents" }]],
  },
});
