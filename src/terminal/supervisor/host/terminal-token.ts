import { join } from "node:path";
import { createFileExclusive, writeFileAtomic } from "../../../lib/files/atomic-file.ts";
import { newToken } from "../../../lib/http/access/token.ts";
import { readText } from "../credentials/file.ts";

/** The one that was given, else one that stays the same: a hub or a person that knows it can use it after a restart. */
export function terminalToken(state: string, given: string | undefined): string {
  const file = join(state, "terminal-token");
  if (given) writeFileAtomic(file, `${given}\n`);
  else createFileExclusive(file, `${newToken()}\n`);
  return (readText(file) ?? "").trim();
}
