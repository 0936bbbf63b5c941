import { join } from "node:path";
import { openTokenFile } from "../http/token-file.ts";
import type { Home } from "../store/home.ts";

/** `server-token`: what programs of this account use without being given a token. The only one that lies here in the clear. */
export const serverTokenFile = (home: Home): string => join(home.root, "server-token");

export const openServerToken = (home: Home): string => openTokenFile(serverTokenFile(home));
