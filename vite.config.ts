import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vite";

/** Names the sources, so that a process knows whether another was built from the same. */
function buildOf(folder: string): string {
  const hash = createHash("sha256");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.(ts|json)$/.test(name));
  for (const name of names.toSorted()) hash.update(name).update(readFileSync(join(folder, name)));
  return hash.digest("hex").slice(0, 16);
}

/**
 * Everything but the prebuilt PTY binding goes into the bundle: start-up is paid at every `cox bus post`. CommonJS, because
 * Node loads it with less work: `cox ls` costs a fifth less than as ES modules.
 */
export default defineConfig({
  define: { COX_BUILD: JSON.stringify(buildOf("src")) },
  ssr: { noExternal: true, external: ["@lydell/node-pty"], target: "node" },
  build: {
    ssr: true,
    target: "node20",
    outDir: "dist",
    emptyOutDir: true,
    minify: true,
    license: { fileName: "bundled.json" }, // read by scripts/package
    rollupOptions: {
      checks: { bundlerTimings: false },
      input: {
        cox: "src/app/main.ts",
        "tool-pipe": "src/app/tool-pipe.ts",
        demo: "src/demo/main.ts",
        index: "src/index.ts",
      },
      output: { format: "cjs", entryFileNames: "[name].cjs", chunkFileNames: "chunks/[name]-[hash].cjs" },
    },
  },
});
