import type { ApiKey, Call, Result } from "../../contract/api/index.ts";
import type { Problem } from "../../contract/api/values.ts";
import { AppError, isErrorCode } from "../../contract/errors.ts";

/**
 * The HTTP API, typed by its table; nothing of the table itself is loaded, so that the page stays small. Works in a browser
 * (where the cookie says who we are) and in Node (with a token).
 */
export interface HttpClient {
  call<K extends ApiKey>(
    key: K,
    ...given: Partial<Call<K>> extends Call<K> ? [Call<K>?, CallOptions?] : [Call<K>, CallOptions?]
  ): Promise<Result<K>>;
  /** For files and streams: the response as it comes. A refusal throws all the same. */
  open<K extends ApiKey>(key: K, given: Call<K>, options?: CallOptions): Promise<Response>;
}

export interface CallOptions {
  signal?: AbortSignal;
  headers?: Readonly<Record<string, string>>;
}

export interface Connection {
  /** `http://127.0.0.1:4717`, or "" for the page's own. */
  url: string;
  token?: string;
  fetch?: typeof fetch;
}

interface AnyCall {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, unknown>>;
  body?: unknown;
}

export function httpClient({ url, token, fetch: send = fetch }: Connection): HttpClient {
  const open = async (key: string, given: AnyCall = {}, { signal, headers = {} }: CallOptions = {}) => {
    const [method = "GET", path = "/"] = key.split(" ", 2);
    const bytes = given.body instanceof Uint8Array;
    const response = await send(`${url}/api/v1${pathOf(path, given.params)}${queryOf(given.query)}`, {
      method,
      signal: signal ?? null,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(method === "GET" || bytes ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(method === "GET"
        ? {}
        : { body: bytes ? (given.body as Uint8Array<ArrayBuffer>) : JSON.stringify(given.body ?? {}) }),
    });
    if (!response.ok) throw await problemIn(response);
    return response;
  };
  return {
    open: (key, given, options) => open(key, given as AnyCall, options),
    async call(key: string, given?: unknown, options?: CallOptions) {
      const response = await open(key, given as AnyCall, options);
      return response.status === 204 ? undefined : await response.json();
    },
  } as HttpClient;
}

export function pathOf(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}

function queryOf(query: Readonly<Record<string, unknown>> = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  if (pairs.length === 0) return "";
  const words = pairs.map(([key, value]): [string, string] => [key, String(value)]);
  return `?${new URLSearchParams(words).toString()}`;
}

/** What was refused, as it would be thrown here. */
async function problemIn(response: Response): Promise<AppError> {
  const body = (await response.json().catch(() => ({}))) as Partial<Problem>;
  const { code = "internal", detail = `the server answered ${response.status}`, details = {} } = body;
  return new AppError(isErrorCode(code) ? code : "internal", detail, { ...details, status: response.status });
}
