import { defineConfig } from "vite";

/**
 * Everything but the prebuilt PTY binding goes into the bundle: start-up is paid at every `cox bus post`. CommonJS, because
 * Node loads it with less work: `cox ls` costs a fifth less than as ES modules.
 */
export default defineConfig({
  ssr: { noExternal: true, external: ["@lydell/node-pty"], target: "node" },
  build: {
    ssr: true,
    target: "node20",
    outDir: "dist",
    emptyOutDir: true,
    minify: true,
    license: { fileName: "THIRD-PARTY-LICENSES.md" },
    rollupOptions: {
      checks: { bundlerTimings: false },
      input: { cox: "src/app/main.ts", demo: "src/demo/main.ts", index: "src/index.ts" },
      output: { format: "cjs", entryFileNames: "[name].cjs", chunkFileNames: "chunks/[name]-[hash].cjs" },
    },
  },
});
