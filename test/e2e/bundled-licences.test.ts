import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Rolldown } from "vite";
import { describe, expect, test } from "vitest";
import { root } from "../support/cox.ts";

const json = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"));
const components = (json("dist/sbom.cdx.json") as { components: { name: string }[] }).components.map(
  ({ name }) => name,
);
const installed = Object.keys((json("package.json") as { dependencies: object }).dependencies);

describe.each([
  ["the program", "vite.config.ts", "dist"],
  ["the page", "vite.web.config.ts", "dist/web"],
])("%s", (_, config, folder) => {
  test("every package in it has its licence text beside it, and is in the SBOM", { timeout: 120_000 }, async () => {
    const packages = await bundled(config);
    expect(packages.size).toBeGreaterThan(5);
    const texts = sections(readFileSync(join(root, folder, "THIRD-PARTY-LICENSES.md"), "utf8"));
    for (const name of packages) {
      expect(texts.get(name), name).toMatch(/copyright|©/i);
      expect(texts.get(name)?.length, name).toBeGreaterThan(500);
      expect(components, name).toContain(name);
      expect(installed, `${name}, which is bundled, is not installed as well`).not.toContain(name);
    }
  });
});

/** The bundler's own word on what it took, read from where each module lies. */
async function bundled(configFile: string): Promise<Set<string>> {
  const made = await build({ configFile: join(root, configFile), logLevel: "silent", build: { write: false } });
  const outputs = (Array.isArray(made) ? made : [made]) as Rolldown.RolldownOutput[];
  const modules = outputs.flatMap(({ output }) => output.flatMap((one) => (one.type === "chunk" ? one.moduleIds : [])));
  const names = modules.map((id) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]);
  return new Set(names.filter((name) => name !== undefined));
}

/** By package name; a licence may have headings of its own. */
function sections(markdown: string): Map<string, string> {
  const parts = markdown.split(/^## (?=\S+ \d+\.\d+\.\d+\S* \()/m).slice(1);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf(" ")), part]));
}
