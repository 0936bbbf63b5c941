import { rmSync } from "node:fs";
import { randomBytes } from "../../../lib/base/crypto.ts";
import { names, nulList, shown } from "../git/git.ts";
import { makeRoom, removeFile } from "./restore-file.ts";
import type { Workspace } from "./workspace.ts";

export interface CarriedOut {
  restored: string[];
  deleted: string[];
  left: { path: string; why: string }[];
}

/** Makes these files what they are in a tree, as far as nothing else is in the way. */
export async function carryOut(
  workspace: Workspace,
  tree: string,
  plan: { write: readonly string[]; remove: readonly string[] },
): Promise<CarriedOut> {
  const done: CarriedOut = { restored: [], deleted: [], left: [] };
  const isRules = (path: string) => /(^|\/)\.gitignore$/.test(path);
  // The rules of then come back first: what they ignore (.env) was there then and only not seen; it must not go.
  for (const choose of [isRules, (path: string) => !isRules(path)]) {
    await removeFiles(workspace, plan.remove.filter(choose), done);
    await writeFiles(workspace, tree, plan.write.filter(choose), done);
  }
  return {
    restored: done.restored.map(shown),
    deleted: done.deleted.map(shown),
    left: done.left.map(({ path, why }) => ({ path: shown(path), why })),
  };
}

async function removeFiles(workspace: Workspace, paths: readonly string[], done: CarriedOut): Promise<void> {
  const ignored = await ignoredFiles(workspace, paths);
  for (const path of paths) {
    if (ignored.has(path)) done.left.push({ path, why: "ignored" });
    else if (removeFile(workspace.repository.root, path)) done.deleted.push(path);
    else done.left.push({ path, why: "something else is in its place" });
  }
}

async function writeFiles(
  { repository, shadow }: Workspace,
  tree: string,
  paths: readonly string[],
  done: CarriedOut,
): Promise<void> {
  const writable: string[] = [];
  for (const path of paths) {
    const why = makeRoom(repository.root, path);
    if (why === undefined) writable.push(path);
    else done.left.push({ path, why });
  }
  if (writable.length === 0) return;
  const index = `${shadow.index}.undo-${randomBytes(6).toString("hex")}`;
  const options = { env: { GIT_INDEX_FILE: index }, writes: true };
  try {
    await shadow.git(["read-tree", tree], options);
    await shadow.git(["checkout-index", "-z", "--force", "--stdin"], { ...options, input: nulList(writable) });
  } finally {
    rmSync(index, { force: true });
  }
  done.restored.push(...writable);
}

async function ignoredFiles({ shadow }: Workspace, paths: readonly string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  const args = ["check-ignore", "-z", "--no-index", "--stdin"];
  return new Set(names(await shadow.git(args, { input: nulList(paths), answers: [1] })));
}
