import type { KubeObject, Resource } from "./resource.ts";

/** One line of a watch: what happened to which object. */
export type WatchEvent<T> =
  | { type: "changed"; object: T; version: string }
  | { type: "deleted"; object: T; version: string }
  | { type: "bookmark"; version: string }
  | { type: "error"; status: number; message: string; retryAfterMs: number | undefined };

/** `undefined` for a line that is no event: a stream that says such things is broken off and taken up again. */
export function parseWatchLine<T extends KubeObject>(resource: Resource<T>, line: string): WatchEvent<T> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || !isRecord(value.object)) return undefined;
  const { type, object } = value;
  if (type === "ERROR") {
    const details = isRecord(object.details) ? object.details : {};
    const seconds = Number(details.retryAfterSeconds);
    return {
      type: "error",
      status: Number(object.code ?? 0),
      message: typeof object.message === "string" ? object.message : "the watch ended with an error",
      retryAfterMs: seconds > 0 ? seconds * 1000 : undefined,
    };
  }
  const version = isRecord(object.metadata) ? object.metadata.resourceVersion : undefined;
  if (typeof version !== "string") return undefined;
  if (type === "BOOKMARK") return { type: "bookmark", version };
  if (!isOf(resource, object)) return undefined;
  if (type === "ADDED" || type === "MODIFIED") return { type: "changed", object, version };
  if (type === "DELETED") return { type: "deleted", object, version };
  return undefined;
}

/** The server's schema made it what its kind says. */
const isOf = <T extends KubeObject>({ kind }: Resource<T>, object: unknown): object is T =>
  isRecord(object) && object.kind === kind;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
