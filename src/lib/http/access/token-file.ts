import { chmodSync, lstatSync, readFileSync } from "node:fs";
import { AppError } from "../../../contract/errors.ts";
import { createFileExclusive } from "../../files/atomic-file.ts";
import { newToken } from "./token.ts";

/** The token in this file, made by the first who needs it and kept for the next: scripts that read the file go on working. */
export function openTokenFile(path: string): string {
  createFileExclusive(path, `${newToken()}\n`);
  const found = lstatSync(path);
  const token = found.isFile() ? readFileSync(path, "utf8").trim() : "";
  if (!/^[\w-]{43}$/.test(token)) {
    throw new AppError("store.damaged", `read ${path}: it holds no token; remove it, and a new one is made`);
  }
  if ((found.mode & 0o077) !== 0) chmodSync(path, 0o600);
  return token;
}
