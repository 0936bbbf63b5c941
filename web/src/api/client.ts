import { AppError, messageOf } from "../../../src/contract/errors.ts";
import { httpClient } from "../../../src/lib/client/http.ts";

/** The server this page came from. The cookie says who we are. */
export const server = httpClient({
  url: "",
  async fetch(...given) {
    const reply = await fetch(...given);
    if (reply.status === 401) for (const listener of refused) listener();
    return reply;
  },
});

const refused = new Set<() => void>();

/** Called when the server doesn't know us, or no longer. */
export function onRefused(listener: () => void): void {
  refused.add(listener);
}

/** What went wrong, for a person. The network's own words say nothing to anybody. */
export function problemText(error: unknown): string {
  if (error instanceof AppError) return error.message;
  return error instanceof TypeError ? "The server can't be reached." : messageOf(error);
}

/** Who took a decision first, when a refused answer tells. */
export function answeredBefore(error: unknown): string | undefined {
  if (!(error instanceof AppError) || error.code !== "request.resolved") return undefined;
  return error.message;
}
