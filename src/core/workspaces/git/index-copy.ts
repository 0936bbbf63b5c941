import { copyFileSync, existsSync, readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { type Git, line, names, nulList, plumbing } from "./git.ts";
import type { Repository } from "./repository.ts";

/**
 * An index is worked on as a copy, so that nobody waits for a lock. Git distrusts entries as young as the index itself; the
 * copy is dated a little before the original, or a file changed in that same moment would pass for unchanged.
 */
export function copyIndex(from: string, to: string): void {
  copyFileSync(from, to);
  const at = new Date(Math.max(statSync(from).mtimeMs - 10, 0));
  utimesSync(to, at, at);
}

/**
 * The first index of a shadow, made from the real one: files that git found unchanged there need not be read. Where git
 * converts line ends or filters a file, its object isn't what lies on the disk; those are left out and read as they are: they
 * are returned.
 */
export async function fillIndex(repository: Repository, shadow: Git, to: string): Promise<string[]> {
  const real = join(repository.gitDir, "index");
  // A split index has its greater part in another file.
  if (!existsSync(real) || readdirSync(repository.gitDir).some((name) => name.startsWith("sharedindex."))) {
    return names(await plumbing(repository.root, ["ls-files", "-z"]));
  }
  copyIndex(real, to);
  const env = { GIT_INDEX_FILE: to };
  const tracked = names(await shadow(["ls-files", "-z"], { env }));
  const converted = await convertedFiles(repository.root, tracked);
  if (converted.length > 0) {
    await shadow(["update-index", "-z", "--force-remove", "--stdin"], { env, input: nulList(converted), writes: true });
  }
  return converted;
}

async function convertedFiles(root: string, tracked: readonly string[]): Promise<string[]> {
  const auto = line(await plumbing(root, ["config", "--get", "core.autocrlf"], { answers: [1] }));
  if (auto !== "" && auto !== "false") return [...tracked];
  const attributes = ["text", "eol", "crlf", "filter", "ident", "working-tree-encoding"];
  const input = nulList(tracked);
  const fields = names(await plumbing(root, ["check-attr", "-z", "--stdin", ...attributes], { input }));
  const converted = new Set<string>();
  for (let i = 0; i + 2 < fields.length; i += 3) {
    const [path = "", , value] = fields.slice(i, i + 3);
    if (value !== "unspecified" && value !== "unset") converted.add(path);
  }
  return [...converted];
}
