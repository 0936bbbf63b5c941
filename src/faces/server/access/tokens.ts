import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { TokenItem } from "../../../contract/api/settings.ts";
import { AppError } from "../../../contract/errors.ts";
import { appendAudit } from "../../../core/store/audit.ts";
import type { Home } from "../../../core/store/home.ts";
import { createFileExclusive } from "../../../lib/files/atomic-file.ts";
import { diskError, errnoOf } from "../../../lib/files/disk-error.ts";
import { hashOf, newToken } from "../../../lib/http/access/token.ts";
import type { Scope } from "../../../lib/http/route.ts";

/** How a token comes to us: in a header by whoever was given it, or in the cookie of a browser that signed in. */
export type Carrier = "header" | "cookie";

/** `tokens/<id>.json`: made once, revoked by removing it. Of the token itself only the hash is kept. */
export interface StoredToken {
  id: string;
  name: string;
  scope: Scope;
  created: string;
  carrier: Carrier;
  hash: string;
}

const folderOf = (home: Home): string => join(home.root, "tokens");
const fileOf = (home: Home, id: string): string => join(folderOf(home), `${id}.json`);
const ID = /^[\w-]{1,64}$/;
/** What those are called who come without a token of this folder, or by a browser. */
const TAKEN: ReadonlySet<string> = new Set(["cookie", "local", "socket"]);

export interface NewToken {
  name: string;
  scope: Scope;
  carrier?: Carrier;
  /** Who made it, for the audit log. */
  by: string;
}

/** The value is returned here and never again. */
export function makeToken(
  home: Home,
  { name, scope, carrier = "header", by }: NewToken,
  now: number,
): TokenItem & { token: string } {
  if (!/^[^\p{C}]{1,64}$/u.test(name)) {
    throw new AppError("usage.invalid", `token ${JSON.stringify(name)}: a name is 1 to 64 printable characters`);
  }
  if (TAKEN.has(name)) {
    throw new AppError("usage.invalid", `token ${name}: whoever reads the audit log would take it for somebody else's`);
  }
  const token = newToken();
  const id = randomBytes(6).toString("hex");
  const created = new Date(now).toISOString();
  const stored: StoredToken = { id, name, scope, created, carrier, hash: hashOf(token) };
  try {
    mkdirSync(folderOf(home), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw diskError("make a token", folderOf(home), error);
  }
  createFileExclusive(fileOf(home, id), JSON.stringify(stored));
  const what = carrier === "cookie" ? "login" : "token.made";
  appendAudit(home, { at: created, what, who: by, data: { id, name, scope } });
  return { id, name, scope, created, token };
}

export function revokeToken(home: Home, id: string, by: string, now: number): void {
  const path = fileOf(home, id);
  const stored = ID.test(id) ? readToken(path) : undefined;
  try {
    if (!ID.test(id)) throw unknown(id);
    rmSync(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") throw unknown(id);
    throw error instanceof AppError ? error : diskError("revoke a token", path, error);
  }
  const what = stored?.carrier === "cookie" ? "logout" : "token.revoked";
  appendAudit(home, { at: new Date(now).toISOString(), what, who: by, data: { id, name: stored?.name } });
}

const unknown = (id: string): AppError =>
  new AppError("token.not_found", `token ${JSON.stringify(id)}: there is none with this id; see \`cox token ls\``);

/** Oldest first. */
export function listTokens(home: Home): TokenItem[] {
  return readTokens(home)
    .map(({ id, name, scope, created }) => ({ id, name, scope, created, last_used: lastUsed(home, id, created) }))
    .sort((a, b) => (a.created < b.created ? -1 : 1));
}

export function readTokens(home: Home): StoredToken[] {
  return namesIn(folderOf(home)).flatMap((name) => {
    const id = /^([\w-]{1,64})\.json$/.exec(name)?.[1];
    const stored = id === undefined ? undefined : readToken(fileOf(home, id));
    return stored === undefined || stored.id !== id ? [] : [stored];
  });
}

/** Changes whenever a token is made or revoked. */
export function tokensVersion(home: Home): number {
  return statSync(folderOf(home), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * Kept as the file's own time, so that nothing is rewritten. One that was revoked meanwhile, or lies on a disk that became
 * read-only, is not noted: nobody is refused for that.
 */
export function noteUse(home: Home, id: string, now: number): void {
  try {
    utimesSync(fileOf(home, id), now / 1000, now / 1000);
  } catch (error) {
    if (!["ENOENT", "EROFS", "EACCES", "EPERM"].includes(errnoOf(error))) throw error;
  }
}

function lastUsed(home: Home, id: string, created: string): string | undefined {
  const at = statSync(fileOf(home, id), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // A file is a moment younger than the token in it.
  return at > Date.parse(created) + 1000 ? new Date(at).toISOString() : undefined;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw diskError("read the tokens", folder, error);
  }
}

/** A damaged file is no token. */
function readToken(path: string): StoredToken | undefined {
  try {
    const { id, name, scope, created, carrier, hash }: Partial<StoredToken> = JSON.parse(readFileSync(path, "utf8"));
    const whole = id !== undefined && name !== undefined && created !== undefined && hash?.length === 64;
    if (!whole || scope === undefined || !["read", "import", "all"].includes(scope)) return undefined;
    return { id, name, scope, created, hash, carrier: carrier === "cookie" ? "cookie" : "header" };
  } catch {
    return undefined;
  }
}
