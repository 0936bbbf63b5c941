import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A package whose code is in a bundle, as the bundler names it. */
export interface Bundled {
  name: string;
  version: string;
  /** An SPDX identifier. */
  identifier?: string;
  text?: string;
}

/** Where the bundler leaves its list, in the folder of the bundle; it is not shipped. */
const list = "bundled.json";

/** Takes the bundler's list; a package that ships without its licence gets the text kept here. */
export function readBundled(folder: string): Bundled[] {
  const path = join(folder, list);
  const packages: Bundled[] = JSON.parse(readFileSync(path, "utf8"));
  rmSync(path);
  return packages.map((one) => ({ ...one, text: one.text ?? keptText(one.name) }));
}

export function writeLicences(folder: string, packages: readonly Bundled[]): void {
  const sections = packages.map(
    ({ name, version, identifier, text }) => `## ${name} ${version} (${identifier})\n\n${text?.trim()}\n`,
  );
  const head = "# Licences\n\nThe code in this folder contains these packages, each under its own licence.\n";
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES.md"), [head, ...sections].join("\n"));
}

/** From the package's repository. */
function keptText(name: string): string {
  const path = join(import.meta.dirname, "licences", `${name.replace("/", "+")}.txt`);
  if (existsSync(path)) return readFileSync(path, "utf8");
  throw new Error(`${name} is bundled, and its package has no licence text: keep it in ${path}`);
}
