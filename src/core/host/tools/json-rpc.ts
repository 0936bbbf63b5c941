/** JSON-RPC 2.0, as far as MCP needs it: what a peer wrote is told apart here, and what we say is built here. */

export type Id = string | number;
export type Fields = Readonly<Record<string, unknown>>;

export type Heard =
  | { kind: "request"; id: Id; method: string; params: Fields }
  | { kind: "notice"; method: string; params: Fields }
  /** An answer: but we ask nothing. */
  | { kind: "answer" }
  | { kind: "invalid" };

export type Said = { jsonrpc: "2.0" } & (
  | { id: Id; result: Fields }
  | { id: Id | null; error: { code: number; message: string } }
  | { method: string; params: Fields }
);

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;

export function heard(message: unknown): Heard {
  if (!isJsonRpc(message)) return { kind: "invalid" };
  const { id, method, params = {} } = message;
  if (method === undefined) return { kind: "result" in message || "error" in message ? "answer" : "invalid" };
  if (typeof method !== "string" || !isFields(params)) return { kind: "invalid" };
  if (id === undefined) return { kind: "notice", method, params };
  return isId(id) ? { kind: "request", id, method, params } : { kind: "invalid" };
}

export const isJsonRpc = (message: unknown): message is Fields => isFields(message) && message.jsonrpc === "2.0";
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const isId = (value: unknown): value is Id => typeof value === "string" || typeof value === "number";

export const answer = (id: Id, result: Fields): Said => ({ jsonrpc: "2.0", id, result });
export const failure = (id: Id | null, code: number, message: string): Said => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});
export const notice = (method: string, params: Fields): Said => ({ jsonrpc: "2.0", method, params });
