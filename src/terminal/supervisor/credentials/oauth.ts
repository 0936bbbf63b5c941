import { AppError, messageOf } from "../../../contract/errors.ts";
import { call, isOk } from "../../../lib/client/call.ts";
import { isObject } from "../setup/json-file.ts";

/** That of Claude Code itself; the server knows no other for these logins. */
const CLIENT_ID = "9d1c250a-e61b-44d9-88ed-5944d1962f5e";
const TIMEOUT_MS = 15_000;

export type Renewal =
  | { ok: true; accessToken: string /** Only when it was rotated. */; refreshToken?: string; expiresInMs: number }
  | { ok: false; why: string; retryAfterMs?: number };

/** Asks for a new access token. A refusal is a value: whoever asked counts it. */
export async function renew(
  url: string,
  refreshToken: string,
  signal?: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<Renewal> {
  const json = { grant_type: "refresh_token", refresh_token: refreshToken, client_id: CLIENT_ID };
  try {
    const answer = await call(url, { method: "POST", json, timeoutMs, signal });
    if (!isOk(answer)) {
      const after = Number(answer.retryAfter ?? Number.NaN);
      const why = `the server answered ${answer.status}${reason(answer.json)}`;
      return { ok: false, why, ...(Number.isFinite(after) ? { retryAfterMs: after * 1000 } : {}) };
    }
    return renewalFrom(answer.json);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ok: false, why: messageOf(error) };
  }
}

function renewalFrom(body: unknown): Renewal {
  if (!isObject(body)) return { ok: false, why: "its answer is no JSON object" };
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = body;
  if (typeof accessToken !== "string" || accessToken === "")
    return { ok: false, why: "its answer has no access token" };
  const expiresInMs = typeof seconds === "number" && seconds > 0 ? seconds * 1000 : DEFAULT_LIFE_MS;
  const rotated = typeof refreshToken === "string" && refreshToken !== "" ? { refreshToken } : {};
  return { ok: true, accessToken, ...rotated, expiresInMs };
}

/** A server that says nothing gets asked again in time. */
const DEFAULT_LIFE_MS = 2 * 3_600_000;

/** The error's name alone: a description may repeat what was sent. */
function reason(body: unknown): string {
  const error = isObject(body) ? body.error : undefined;
  return typeof error === "string" && /^[\w.-]{1,60}$/.test(error) ? ` (${error})` : "";
}
