import { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import type { Clock } from "../../lib/base/clock.ts";
import type { Exchange, Route } from "../../lib/http/route.ts";
import { type Credentials, Distribution, NewAccount, TokenChange } from "./credentials.ts";
import type { Registry } from "./registry.ts";
import { type Cached, Registration, requireUrl, shownSession } from "./session.ts";
import { isHealthy, proxied } from "./upstream.ts";

interface Hub {
  registry: Registry;
  credentials: Credentials;
  clock: Clock;
}

/** Calls that are passed on to a session's host as they are. */
const PROXIED = ["agent/nudge", "agent/respond", "input", "input/raw", "input/keys", "upload"] as const;

export function hubRoutes({ registry, credentials, clock }: Hub): Route[] {
  const sessionOf = ({ params }: Exchange) => registry.require(params.id ?? "");
  return [
    {
      method: "GET",
      path: "/api/v1/health",
      access: "open",
      handle: () => ({ json: { status: "running", session_count: registry.sessions.length } }),
    },
    {
      method: "POST",
      path: "/api/v1/sessions",
      access: "all",
      async handle(exchange) {
        const given = await bodyOf(exchange, Registration);
        const url = requireUrl(given.url);
        // Known under the same address: a heartbeat, which must be cheap.
        const known = given.id ? registry.find(given.id) : undefined;
        if (known?.url !== url && !(await isHealthy(url, exchange.signal))) {
          throw new AppError("hub.upstream", `register ${url}: it does not answer at /api/v1/health`);
        }
        const { id } = registry.register(given, clock.now());
        return { json: { id, registered: true } };
      },
    },
    {
      method: "GET",
      path: "/api/v1/sessions",
      access: "read",
      handle: () => ({ json: registry.sessions.map(shownSession) }),
    },
    {
      method: "DELETE",
      path: "/api/v1/sessions/{id}",
      access: "all",
      handle(exchange) {
        const { id } = sessionOf(exchange);
        registry.remove(id);
        return { json: { id, removed: true } };
      },
    },
    {
      method: "GET",
      path: "/api/v1/sessions/{id}/screen",
      access: "read",
      handle: (exchange) => ({ json: shownCopy(sessionOf(exchange).screen, "screen") }),
    },
    {
      method: "GET",
      path: "/api/v1/sessions/{id}/status",
      access: "read",
      handle: (exchange) => ({ json: shownCopy(sessionOf(exchange).status, "status") }),
    },
    {
      method: "GET",
      path: "/api/v1/sessions/{id}/agent",
      access: "read",
      handle: async (exchange) => ({ json: await proxied(sessionOf(exchange), "agent") }),
    },
    ...PROXIED.map(
      (path): Route => ({
        method: "POST",
        path: `/api/v1/sessions/{id}/${path}`,
        access: "all",
        handle: async (exchange) => ({ json: await proxied(sessionOf(exchange), path, (await exchange.json()) ?? {}) }),
      }),
    ),
    {
      method: "GET",
      path: "/api/v1/credentials/status",
      access: "read",
      handle: () => ({ json: credentials.status(clock.now()) }),
    },
    {
      method: "POST",
      path: "/api/v1/credentials/new",
      access: "all",
      async handle(exchange) {
        const account = await bodyOf(exchange, NewAccount);
        credentials.add(account, clock.now());
        return { json: { added: true, account: account.name } };
      },
    },
    {
      method: "POST",
      path: "/api/v1/credentials/set",
      access: "all",
      async handle(exchange) {
        credentials.set(await bodyOf(exchange, TokenChange), clock.now());
        return { json: { ok: true } };
      },
    },
    {
      method: "POST",
      path: "/api/v1/credentials/distribute",
      access: "all",
      async handle(exchange) {
        const wish = await bodyOf(exchange, Distribution);
        const now = clock.now();
        if ("session_id" in wish) return { json: credentials.forSession(wish.session_id, now) };
        return { json: await credentials.push(wish.account, { force: wish.switch, now }) };
      },
    },
  ];
}

async function bodyOf<T extends z.ZodType>(exchange: Exchange, schema: T): Promise<z.output<T>> {
  const parsed = schema.safeParse(await exchange.json());
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new AppError(
    "usage.invalid",
    `${issue?.path.join(".") || "body"}: ${issue?.message ?? "not what is expected"}`,
  );
}

function shownCopy(copy: Cached | undefined, what: string): object {
  if (copy === undefined) throw new AppError("hub.upstream", `${what}: not yet cached`);
  return { ...copy.value, fetched_at: copy.fetched_at };
}
