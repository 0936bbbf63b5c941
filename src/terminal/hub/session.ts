import { z } from "zod";
import { AppError } from "../../contract/errors.ts";

/** A terminal host that told us where it is. */
export interface HubSession {
  readonly id: string;
  url: string;
  metadata: Readonly<Record<string, unknown>>;
  registered_at_ms: number;
  /** Of the host, to call it with. Never shown. */
  token: string;
  health_failures: number;
  /** What was last heard of it. */
  state?: string;
  screen?: Cached;
  status?: Cached;
}

export interface Cached {
  value: Readonly<Record<string, unknown>>;
  fetched_at: number;
}

/** An id becomes the name of a file. */
const Id = z.string().regex(/^[A-Za-z0-9][\w.-]{0,127}$/, "must be 1 to 128 letters, digits, '.', '_' or '-'");

export const Registration = z.object({
  url: z.string().max(2048),
  auth_token: z
    .string()
    .regex(/^[\x21-\x7e]{0,4096}$/, "must be what a header can carry")
    .nullish(),
  id: Id.nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});
export type Registration = z.infer<typeof Registration>;

/** Where requests with a token will go: an address of a server, and nothing else in it. */
export function requireUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  if (plain && url.search === "" && url.hash === "") return url.href.replace(/\/+$/, "");
  throw new AppError("usage.invalid", `url ${JSON.stringify(text.slice(0, 100))}: must be http://HOST:PORT`);
}

/** As lists show it. */
export const shownSession = ({ id, url, metadata, registered_at_ms, health_failures, state }: HubSession) => ({
  id,
  url,
  metadata,
  registered_at_ms,
  health_failures,
  ...(state === undefined ? {} : { cached_state: state }),
});
