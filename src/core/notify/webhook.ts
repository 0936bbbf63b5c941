import { AppError } from "../../contract/errors.ts";
import { createHmac } from "../../lib/base/crypto.ts";
import { VERSION } from "../../lib/base/version.ts";
import { errnoOf } from "../../lib/files/disk-error.ts";
import type { NotifyMessage } from "./message.ts";

export interface Webhook {
  url: string;
  /** Read when it is needed, and kept nowhere. */
  secret?: () => string;
}

const TIMEOUT_MS = 10_000;

/** With the secret, whoever receives it can check who sent it: HMAC-SHA256 of the body, as it is on the wire. */
export async function postWebhook({ url, secret }: Webhook, message: NotifyMessage): Promise<void> {
  const body = JSON.stringify(message);
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    "User-Agent": `coxswain/${VERSION}`,
    "X-Coxswain-Event": message.event,
    "X-Coxswain-Id": message.id,
  };
  if (secret !== undefined) headers["X-Coxswain-Signature"] = signature(body, secret());
  // A redirect would carry the message where nobody asked for it.
  const request = {
    method: "POST",
    body,
    headers,
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  } as const;
  let status: number;
  try {
    const response = await fetch(url, request);
    status = response.status;
    await response.body?.cancel();
  } catch (error) {
    throw failed(reasonOf(error));
  }
  if (status < 200 || status >= 300) throw failed(`it answered with ${status}`);
}

export const signature = (body: string, secret: string): string =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

/** The address may hold a key, so it isn't in the message. */
const failed = (why: string) => new AppError("host.unreachable", `webhook: ${why}`);

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return `no answer within ${TIMEOUT_MS / 1000} s`;
  return `can't be reached (${errnoOf(error instanceof Error ? error.cause : error)})`;
}
