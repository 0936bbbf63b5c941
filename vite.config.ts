import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";

/** Names the sources, so that a process knows whether another was built from the same. */
function buildOf(folder: string): string {
  const hash = createHash("sha256");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.(ts|json)$/.test(name));
  for (const name of names.toSorted()) hash.update(name).update(readFileSync(join(folder, name)));
  return hash.digest("hex").slice(0, 16);
}

/**
 * What can be kept as a script: see src/app/start. Only ASCII, which takes a byte per character; in strings, templates and patterns
 * an escape means the same, and elsewhere there are no such characters. And nothing that Node would import.
 */
const plainScripts: Plugin = {
  name: "plain-scripts",
  generateBundle(_options, bundle) {
    for (const [name, file] of Object.entries(bundle)) {
      if (file.type !== "chunk") continue;
      if (/\\[^\0-\x7f]/.test(file.code)) this.error(`${name}: a backslash before a character that is not ASCII`);
      if (/(^|[^\w.$])import\(/.test(file.code)) this.error(`${name}: imports; a script can only require`);
      file.code = file.code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    }
  },
};

/**
 * Everything but the prebuilt PTY binding goes into the bundle: start-up is paid at every `cox bus post`. CommonJS, because
 * Node loads it with less work: `cox ls` costs a fifth less than as ES modules.
 */
export default defineConfig({
  plugins: [plainScripts],
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
      // What only a failure needs is loaded then, also where somebody else has it in a chunk already.
      checks: { bundlerTimings: false, ineffectiveDynamicImport: false },
      input: {
        start: "src/app/start/start.ts",
        cox: "src/app/main.ts",
        "tool-pipe": "src/app/tool-pipe.ts",
        demo: "src/demo/main.ts",
        index: "src/index.ts",
      },
      // By `require`: what is kept of our modules (src/app/start) is a script, and scripts can't import on Node 20.
      output: {
        format: "cjs",
        dynamicImportInCjs: false,
        entryFileNames: "[name].cjs",
        chunkFileNames: "chunks/[name]-[hash].cjs",
      },
    },
  },
});
