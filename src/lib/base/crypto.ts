import type * as Crypto from "node:crypto";

/**
 * Node's, loaded when something of it is first used: a run without a repository needs none of it, and loading it costs as much as
 * making the run's files.
 */
const crypto = (): typeof Crypto => process.getBuiltinModule("node:crypto");

export const createHash = (algorithm: string): Crypto.Hash => crypto().createHash(algorithm);
export const createHmac = (algorithm: string, key: string): Crypto.Hmac => crypto().createHmac(algorithm, key);
export const randomBytes = (size: number): Buffer => crypto().randomBytes(size);
export const randomUUID = (): string => crypto().randomUUID();
export const timingSafeEqual = (a: Uint8Array, b: Uint8Array): boolean => crypto().timingSafeEqual(a, b);
