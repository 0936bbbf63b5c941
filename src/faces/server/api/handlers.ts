import type { ApiKey, Checked, Result } from "../../../contract/api/index.ts";
import type { Exchange } from "../../../lib/http/route.ts";

/** Who asks: written wherever something is decided or started. */
export interface Caller {
  /** `ada@laptop browser`, or the name of a token. */
  by: string;
  exchange: Exchange;
}

/**
 * One operation, given what was checked. Where the result is a file or a stream it writes the response itself; all others
 * return the body.
 */
export type Handler<K extends ApiKey> = (given: Checked<K>, caller: Caller) => Promise<Result<K>> | Result<K>;
export type Handlers<K extends ApiKey> = { readonly [Key in K]: Handler<Key> };
