import { defineConfig } from "vitest/config";

/** Kills, fuzz and load: too long for every change, run before one lands. */
export default defineConfig({
  test: {
    include: ["test/faults/**/*.test.ts"],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
