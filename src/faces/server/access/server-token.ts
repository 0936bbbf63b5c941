import { join } from "node:path";
import type { Home } from "../../../core/store/home.ts";

/** What programs of this account use without being given a token. The only one that lies here in the clear. */
export const serverTokenFile = (home: Home): string => join(home.root, "server-token");
