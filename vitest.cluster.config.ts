import { defineConfig } from "vitest/config";

/** Against a real API server, job controller and, where this machine allows it, kubelet. */
export default defineConfig({
  test: {
    include: ["test/cluster/*.test.ts"],
    globalSetup: ["test/cluster/global-setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
    // See test/quarantine.ts.
    retry: 1,
    reporters: ["default", ["./test/gate/reporter.ts", { suite: "cluster" }]],
  },
});
