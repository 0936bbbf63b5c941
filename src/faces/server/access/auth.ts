import type { IncomingMessage } from "node:http";
import { parseRunToken } from "../../../contract/runs/run-token.ts";
import type { Home } from "../../../core/store/home.ts";
import { claimOf } from "../../../core/store/runs/claims.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import { bearerOf, hashOf, sameToken } from "../../../lib/http/access/token.ts";
import type { Identity } from "../../../lib/http/route.ts";
import {
  type Carrier,
  makeToken,
  noteUse,
  readTokens,
  revokeToken,
  type StoredToken,
  tokensVersion,
} from "./tokens.ts";

/** A browser signs in again after this. */
const SESSION_MS = 30 * 24 * 60 * 60_000;
/** The folder's time may be as coarse as this: what was read so soon after a change may miss the next. */
const COARSE_MS = 50;
const NOTE_MS = 60_000;

export interface Auth {
  authenticate(request: IncomingMessage): Identity | undefined;
  /** Makes the browser that asks one of ours; the value of Set-Cookie. */
  signIn(by: string, secure: boolean): string;
  /** Revokes the request's cookie; the value of Set-Cookie that removes it. */
  signOut(request: IncomingMessage, by: string): string;
}

export interface AuthOptions {
  home: Home;
  clock: Clock;
  /** Of the account that runs the server. */
  serverToken: string;
  /** In the cookie's name, because cookies don't know ports: two servers on one machine would overwrite each other's. */
  port: () => number;
}

/** Who asks. Tokens live as files, so one made or revoked by another program counts from the next request on. */
export function createAuth({ home, clock, serverToken, port }: AuthOptions): Auth {
  let known: { version: number; at: number; tokens: StoredToken[] } | undefined;
  const noted = new Map<string, number>();
  const cookieName = () => `cox-${port()}`;

  const tokens = (): StoredToken[] => {
    const version = tokensVersion(home);
    if (known?.version !== version || known.at - version < COARSE_MS) {
      known = { version, at: clock.now(), tokens: readTokens(home) };
    }
    return known.tokens;
  };

  const find = (token: string | undefined, carrier: Carrier): StoredToken | undefined => {
    if (token === undefined) return undefined;
    const hash = hashOf(token);
    // All of them are looked at, whichever fits.
    const fitting = tokens().filter((each) => sameToken(each.hash, hash) && each.carrier === carrier);
    const [found] = fitting;
    if (found === undefined || isExpired(found, clock.now())) return undefined;
    note(found.id);
    return found;
  };

  const note = (id: string) => {
    const now = clock.now();
    if (now - (noted.get(id) ?? 0) < NOTE_MS) return;
    noted.set(id, now);
    noteUse(home, id, now);
  };

  return {
    authenticate(request) {
      const bearer = bearerOf(request);
      if (bearer !== undefined) {
        if (sameToken(bearer, serverToken)) return { name: "local", scope: "all" };
        const run = runOf(home, bearer);
        if (run !== undefined) return { name: `run ${run}`, scope: "run", run };
        const found = find(bearer, "header");
        return found && { name: found.name, scope: found.scope };
      }
      const found = find(cookieOf(request, cookieName()), "cookie");
      return found && { name: "cookie", scope: found.scope };
    },
    signIn(by, secure) {
      const { token } = makeToken(home, { name: "browser", scope: "all", carrier: "cookie", by }, clock.now());
      const expired = tokens().filter((each) => isExpired(each, clock.now()));
      for (const { id } of expired) revokeToken(home, id, "expired", clock.now());
      return cookie(cookieName(), token, SESSION_MS / 1000, secure);
    },
    signOut(request, by) {
      const found = find(cookieOf(request, cookieName()), "cookie");
      if (found !== undefined) revokeToken(home, found.id, by, clock.now());
      return cookie(cookieName(), "", 0, false);
    },
  };
}

/** The live run whose agent this is: with the run's claim its token is gone. */
function runOf(home: Home, bearer: string): string | undefined {
  const { runId, secret } = parseRunToken(bearer) ?? {};
  const hash = runId === undefined ? undefined : claimOf(home, runId)?.agentHash;
  return secret !== undefined && hash !== undefined && sameToken(hash, hashOf(secret)) ? runId : undefined;
}

const isExpired = ({ carrier, created }: StoredToken, now: number): boolean =>
  carrier === "cookie" && now - Date.parse(created) > SESSION_MS;

const cookie = (name: string, value: string, seconds: number, secure: boolean): string =>
  `${name}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${secure ? "; Secure" : ""}`;

function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
