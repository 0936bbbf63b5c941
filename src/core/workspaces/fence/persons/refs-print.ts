import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createHash } from "../../../../lib/base/crypto.ts";

const MOST = 20_000;

/**
 * Changes with every change to the refs of a git directory, which costs no process. It is the agent's folder: nothing in it is
 * opened, and no link is followed. `undefined` when there is too much to look at.
 */
export function refsPrint(folder: string): string | undefined {
  const hash = createHash("sha256");
  let left = MOST;
  const look = (path: string): void => {
    const facts = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    left -= 1;
    if (facts === undefined || left < 0) return;
    hash.update(`${path}\0${facts.ino} ${facts.size} ${facts.mtimeNs} ${facts.mode}\0`);
    if (facts.isDirectory()) for (const name of readdirSync(path).sort()) look(join(path, name));
  };
  for (const name of ["HEAD", "packed-refs", "refs"]) look(join(folder, name));
  return left < 0 ? undefined : hash.digest("hex");
}
