import type { RawData } from "ws";

/** A WebSocket's message as text, in whatever pieces it came. */
export function socketText(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return (data instanceof ArrayBuffer ? Buffer.from(data) : data).toString("utf8");
}
