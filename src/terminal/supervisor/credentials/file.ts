import { readFileSync } from "node:fs";
import { writeFileAtomic } from "../../../lib/files/atomic-file.ts";
import { errnoOf } from "../../../lib/files/disk-error.ts";
import { isObject, type Json } from "../setup/json-file.ts";

/** Claude's login, with whatever else is in its file. */
export interface Credentials {
  /** The file as it was read, with keys that we don't know. */
  whole: Json;
  oauth: Json;
  accessToken: string;
  /** "" when it can't be renewed. */
  refreshToken: string;
  /** In milliseconds; 0 when it isn't said. */
  expiresAt: number;
}

export function parseCredentials(text: string): Credentials | undefined {
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch {
    return undefined;
  }
  const oauth = isObject(whole) ? whole.claudeAiOauth : undefined;
  if (!isObject(whole) || !isObject(oauth)) return undefined;
  const { accessToken, refreshToken, expiresAt } = oauth;
  if (typeof accessToken !== "string" || accessToken === "") return undefined;
  return {
    whole,
    oauth,
    accessToken,
    refreshToken: typeof refreshToken === "string" ? refreshToken : "",
    expiresAt: typeof expiresAt === "number" && Number.isFinite(expiresAt) ? expiresAt : 0,
  };
}

/** A login that still works, or can be made to. */
export function isUsable({ refreshToken, expiresAt }: Credentials, now: number): boolean {
  return refreshToken !== "" || expiresAt === 0 || expiresAt > now;
}

export function readCredentials(path: string): Credentials | undefined {
  const text = readText(path);
  return text === undefined ? undefined : parseCredentials(text);
}

export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** On the disk, not just in its cache, when it returns: a token that was rotated exists nowhere else. */
export function writeCredentials(path: string, whole: Json): void {
  writeFileAtomic(path, `${JSON.stringify(whole, null, 2)}\n`, { durable: true });
}
