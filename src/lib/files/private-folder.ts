import { lstatSync, mkdirSync, type Stats, statSync } from "node:fs";
import { AppError } from "../../contract/errors.ts";
import { diskError } from "./disk-error.ts";

/**
 * Folders and sockets that only this account may have made. On a machine with other accounts a name in /tmp is whoever's comes
 * first: what lies there is looked at before it is believed.
 */
export interface Facts {
  kind: "folder" | "link" | "other";
  uid: number;
  mode: number;
}

/** Why a folder is not ours alone, and what to do about it. */
export function whyShared(path: string, { kind, uid, mode }: Facts, own: number): string | undefined {
  if (kind === "link") return "is a link; remove it";
  if (kind !== "folder") return "is not a folder; remove it, or choose another";
  if (uid !== own)
    return `belongs to uid ${uid}, and this is uid ${own}; run cox as that account, or set COX_HOME or TMPDIR to a folder of your own`;
  const bits = mode & 0o777;
  if ((bits & 0o077) === 0) return undefined;
  return `is open to other accounts (mode ${bits.toString(8)}); close it: chmod 700 ${path}`;
}

/** Why others could put something of theirs into the place of what lies in a folder. */
export function whyReplaceable(path: string, { uid, mode }: Facts, own: number): string | undefined {
  if (uid !== own && uid !== 0) return `belongs to uid ${uid}; choose a folder of your own`;
  const isSticky = (mode & 0o1000) !== 0; // as /tmp is: there each removes only what is theirs
  if ((mode & 0o022) === 0 || isSticky) return undefined;
  return `is open for other accounts to write into; close it (chmod go-w ${path}), or choose a folder of your own`;
}

/** Makes the folder, or takes the one that is there if it is ours alone. */
export function openPrivateFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw diskError("make a private folder", path, error);
  }
  requirePrivateFolder(path);
}

/**
 * One that is missing is fine: nobody has put anything into it. `through`: a person may have linked it to another disk; then
 * both the link and what it leads to must be theirs.
 */
export function requirePrivateFolder(path: string, { through = false }: { through?: boolean } = {}): void {
  const named = lstatSync(path, { throwIfNoEntry: false });
  if (named === undefined) return;
  const isFollowed = through && named.isSymbolicLink() && named.uid === ownUid();
  const facts = isFollowed ? statSync(path, { throwIfNoEntry: false }) : named;
  const why = facts && whyShared(path, factsOf(facts), ownUid());
  if (why !== undefined) throw new AppError("store.shared", `folder ${path}: ${why}`);
}

/** Before a socket is made in a folder that a person chose. */
export function requireOwnPlace(folder: string): void {
  const why = whyReplaceable(folder, factsOf(statSync(folder)), ownUid());
  if (why !== undefined) throw new AppError("store.shared", `folder ${folder}: ${why}`);
}

/** Before one speaks to a socket that a person named: another account may have been there first. */
export function requireOwnSocket(path: string): void {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  if (facts === undefined || facts.uid === ownUid()) return;
  const who = `uid ${facts.uid}, and this is uid ${ownUid()}`;
  throw new AppError("store.shared", `socket ${path}: belongs to ${who}; nothing is said to it`);
}

function factsOf(stats: Stats): Facts {
  const kind = stats.isDirectory() ? "folder" : stats.isSymbolicLink() ? "link" : "other";
  return { kind, uid: stats.uid, mode: stats.mode };
}

const ownUid = (): number => process.getuid?.() ?? 0;
