import { defineConfig } from "vite";

/** The benchmarks run as the product does: bundled. What a loader adds is not what we measure. */
export default defineConfig({
  ssr: { noExternal: true, external: ["@lydell/node-pty"], target: "node" },
  build: {
    ssr: true,
    target: "node20",
    outDir: "node_modules/.bench",
    emptyOutDir: true,
    rollupOptions: { input: { main: "bench/main.ts" }, output: { format: "es", entryFileNames: "[name].mjs" } },
  },
});
