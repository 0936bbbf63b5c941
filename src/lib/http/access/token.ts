import type { IncomingMessage } from "node:http";
import { createHash, randomBytes, timingSafeEqual } from "../../base/crypto.ts";

/** 256 bits: guessing is hopeless, so a plain hash at rest is enough. */
export const newToken = (): string => randomBytes(32).toString("base64url");

/** Takes the same time wherever they differ, and whatever their lengths. */
export const sameToken = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

export const hashOf = (token: string): string => digest(token).toString("hex");

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Only from the header: what stands in a query lands in logs, histories and referrers. */
export function bearerOf(request: IncomingMessage): string | undefined {
  const match = /^bearer +([\w.~+/=-]+) *$/i.exec(request.headers.authorization ?? "");
  return match?.[1];
}
