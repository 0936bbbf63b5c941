import { z } from "zod";
import { AppError, messageOf } from "../../contract/errors.ts";
import type { Log } from "../../lib/base/log.ts";
import type { RecordFolder } from "./files.ts";
import type { Registry } from "./registry.ts";
import type { HubSession } from "./session.ts";
import { proxied } from "./upstream.ts";

/** An account whose token the hub gives to sessions. The token itself lies in a file beside. */
export interface KeptAccount {
  name: string;
  provider: string;
  env_key: string;
  /** Milliseconds; 0 for one that doesn't expire. */
  expires_at_ms: number;
  refresh: boolean;
}

interface Account extends KeptAccount {
  token: string;
  refreshToken: string;
}

const Name = z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/, "must be 1 to 64 letters, digits, '.', '_' or '-'");
export const NewAccount = z.object({
  name: Name,
  provider: z.string().min(1).max(64),
  env_key: z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]*$/)
    .nullish(),
  token: z.string().max(8192).nullish(),
  refresh_token: z.string().max(8192).nullish(),
  expires_in: z.number().positive().nullish(),
});
export const TokenChange = z.object({
  account: Name,
  token: z.string().min(1).max(8192),
  refresh_token: z.string().max(8192).nullish(),
  expires_in: z.number().positive().nullish(),
});
/** Both ways it is asked: push an account to all sessions, or give one session what it needs. */
export const Distribution = z.union([
  z.object({ account: Name, switch: z.boolean().default(false) }),
  z.object({ session_id: z.string().min(1).max(256) }),
]);

const NEVER_MS = 9_999_999_999_999;

export class Credentials {
  readonly #accounts = new Map<string, Account>();
  readonly #given = new Map<string, string>();
  readonly #files: RecordFolder<KeptAccount>;
  readonly #registry: Registry;
  readonly #log: Log;

  constructor(files: RecordFolder<KeptAccount>, registry: Registry, log: Log) {
    this.#files = files;
    this.#registry = registry;
    this.#log = log;
    for (const { record, secret } of files.readAll())
      this.#accounts.set(record.name, { ...record, ...secretsIn(secret) });
    registry.listen(({ event, session }) => {
      if (event === "session:offline") this.#given.delete(session.id);
    });
  }

  status(now: number) {
    return [...this.#accounts.values()].map((account) => ({
      name: account.name,
      provider: account.provider,
      status: statusOf(account, now),
      has_api_key: account.token !== "",
    }));
  }

  add({ name, provider, env_key, token, ...rest }: z.infer<typeof NewAccount>, now: number): void {
    if (this.#accounts.has(name))
      throw new AppError("usage.invalid", `account ${name}: exists already; use credentials/set`);
    this.#keep({
      name,
      provider,
      env_key: env_key ?? variableOf(provider),
      token: token ?? "",
      refreshToken: rest.refresh_token ?? "",
      refresh: Boolean(rest.refresh_token),
      expires_at_ms: expiry(rest.expires_in, now),
    });
  }

  set({ account, token, refresh_token, expires_in }: z.infer<typeof TokenChange>, now: number): void {
    const known = this.#require(account);
    const refreshToken = refresh_token ?? known.refreshToken;
    this.#keep({ ...known, token, refreshToken, refresh: refreshToken !== "", expires_at_ms: expiry(expires_in, now) });
  }

  /** What a session's own credentials file holds. Each gets the account that the fewest have. */
  forSession(sessionId: string, now: number): { claudeAiOauth: Record<string, unknown> } {
    const usable = this.#healthy(now).filter(({ provider }) => isClaude(provider));
    const load = (name: string) => [...this.#given].filter(([id, given]) => given === name && id !== sessionId).length;
    const [account] = usable.sort((a, b) => load(a.name) - load(b.name));
    if (account === undefined)
      throw new AppError("hub.not_found", "credentials: no account with a valid Claude token; add one");
    this.#given.set(sessionId, account.name);
    return {
      claudeAiOauth: {
        accessToken: account.token,
        refreshToken: account.refreshToken,
        expiresAt: account.expires_at_ms === 0 ? NEVER_MS : account.expires_at_ms,
        scopes: ["user:inference", "user:profile"],
      },
    };
  }

  /** To every session, all accounts in one call: each call replaces what the session had. */
  async push(name: string, { force, now }: { force: boolean; now: number }) {
    const account = this.#require(name);
    if (statusOf(account, now) !== "healthy")
      throw new AppError("usage.invalid", `account ${name}: has no valid token; set one`);
    const others = this.#healthy(now).filter((other) => other.name !== name);
    const profiles = [account, ...others].map((each) => ({
      name: each.name,
      credentials: { [each.env_key]: each.token },
    }));
    const sessions = await Promise.all(
      this.#registry.sessions.map((session) => this.#give(session, profiles, name, force)),
    );
    return { distributed: sessions.every(({ ok }) => ok), account: name, sessions };
  }

  async #give(session: HubSession, profiles: readonly unknown[], profile: string, force: boolean) {
    const { id } = session;
    try {
      await proxied(session, "session/profiles", { profiles });
      // One at work is switched when it is idle again, unless it is to be at once.
      if (force) await proxied(session, "session/switch", { profile, force: session.state !== "working" });
      this.#given.set(id, profile);
      return { id, ok: true };
    } catch (error) {
      this.#log.warn("could not give credentials to a session", { session: id, error: messageOf(error) });
      return { id, ok: false, error: messageOf(error) };
    }
  }

  #healthy(now: number): Account[] {
    return [...this.#accounts.values()].filter((account) => statusOf(account, now) === "healthy");
  }

  #require(name: string): Account {
    const account = this.#accounts.get(name);
    if (account !== undefined) return account;
    throw new AppError("usage.invalid", `account ${name}: unknown; add it with credentials/new`);
  }

  #keep(account: Account): void {
    const { token, refreshToken, ...record } = account;
    this.#files.write(record.name, record, token === "" ? "" : JSON.stringify({ token, refreshToken }));
    this.#accounts.set(record.name, account);
  }
}

export function statusOf(
  { token, expires_at_ms }: Pick<Account, "token" | "expires_at_ms">,
  now: number,
): "healthy" | "missing" | "expired" {
  if (token === "") return "missing";
  return expires_at_ms !== 0 && expires_at_ms <= now ? "expired" : "healthy";
}

const expiry = (seconds: number | null | undefined, now: number) => (seconds ? now + seconds * 1000 : 0);
const isClaude = (provider: string) => /^(claude|anthropic)$/i.test(provider);

function variableOf(provider: string): string {
  if (isClaude(provider)) return "CLAUDE_CODE_OAUTH_TOKEN";
  if (/^openai$/i.test(provider)) return "OPENAI_API_KEY";
  return /^(gemini|google)$/i.test(provider) ? "GEMINI_API_KEY" : "API_KEY";
}

function secretsIn(text: string): { token: string; refreshToken: string } {
  const { token = "", refreshToken = "" }: { token?: string; refreshToken?: string } =
    text === "" ? {} : JSON.parse(text);
  return { token, refreshToken };
}
