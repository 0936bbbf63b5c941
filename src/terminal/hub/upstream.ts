import { AppError } from "../../contract/errors.ts";
import { type Answer, call, isOk } from "../../lib/client/call.ts";
import type { HubSession } from "./session.ts";

const TIMEOUT_MS = 3000;
const PROXY_MS = 30_000;

export const isHealthy = async (url: string, signal?: AbortSignal): Promise<boolean> => {
  try {
    return isOk(await call(`${url}/api/v1/health`, { timeoutMs: TIMEOUT_MS, signal }));
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
};

/** One JSON answer of a host; `undefined` when it gave none. */
export async function fetchFrom(
  { url, token }: Pick<HubSession, "url" | "token">,
  path: string,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const answer = await call(`${url}/api/v1/${path}`, { token, timeoutMs: TIMEOUT_MS, signal });
    return isOk(answer) && typeof answer.json === "object" && answer.json !== null ? { ...answer.json } : undefined;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** Passes a call on. What the host refuses is told with its own words. */
export async function proxied(
  session: Pick<HubSession, "id" | "url" | "token">,
  path: string,
  json?: unknown,
): Promise<unknown> {
  const { id, url, token } = session;
  const answer = await reach(`${url}/api/v1/${path}`, id, {
    method: json === undefined ? "GET" : "POST",
    token,
    json,
    timeoutMs: PROXY_MS,
  });
  if (isOk(answer)) return answer.json ?? {};
  throw new AppError(
    "hub.upstream",
    `session ${id}: its host answered ${answer.status}: ${answer.text.slice(0, 500)}`,
    {
      status: answer.status,
    },
  );
}

async function reach(url: string, id: string, options: Parameters<typeof call>[1]): Promise<Answer> {
  try {
    return await call(url, options);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError("hub.upstream", `session ${id}: ${error.message}`, {}, { cause: error });
  }
}
