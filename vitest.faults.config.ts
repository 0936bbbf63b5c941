import { defineConfig } from "vitest/config";

/** Kills, fuzz and load: too long for every change, run before one lands. */
export default defineConfig({
  test: {
    include: ["test/faults/**/*.test.ts", "test/browser/large.test.ts"],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    // Some measure, and a machine has its moments: what fails once and then passes is printed as such.
    retry: 2,
  },
});
