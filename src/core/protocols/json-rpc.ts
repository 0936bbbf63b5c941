import { isObject } from "./read.ts";

/** Whether the members of a frame are what JSON-RPC says; a peer gone wrong may send anything. */
export function isFrame(message: { id?: unknown; method?: unknown; params?: unknown; error?: unknown }): boolean {
  const { id, method, params, error } = message;
  if (id !== undefined && id !== null && typeof id !== "string" && typeof id !== "number") return false;
  if (method !== undefined && typeof method !== "string") return false;
  if (params !== undefined && params !== null && !isObject(params)) return false;
  return error === undefined || error === null || isObject(error);
}
