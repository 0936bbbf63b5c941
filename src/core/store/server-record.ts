import { join } from "node:path";
import { readClaimFile } from "../../lib/files/holding/claim-file.ts";
import { type Holder, parseHeld } from "../../lib/files/holding/holder.ts";
import type { Home } from "./home.ts";

/** `server.json`: which process serves this home, and where. One at a time; removed when it stops. */
export interface ServerRecord extends Holder {
  url: string;
  started: string;
  token_file: string;
}

export const serverFile = (home: Home): string => join(home.root, "server.json");

/** As it was left there: whether that process still lives is another question. */
export const readServer = (home: Home): ServerRecord | undefined => parseServer(readClaimFile(serverFile(home)));

/** `undefined`: none, or damaged: nobody that lives wrote it. */
export function parseServer(text: string | undefined): ServerRecord | undefined {
  const { holder, said = {} } = parseHeld(text) ?? {};
  const { url, started = "", token_file = "" } = said;
  if (holder === undefined || typeof url !== "string") return undefined;
  return { ...holder, url, started: String(started), token_file: String(token_file) };
}
