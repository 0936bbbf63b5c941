import type { AgentTrouble } from "../state/agent-state.ts";

/** What kind of failure an error's words tell of. The first that fits. */
export function categoryOf(text: string): string {
  const lower = text.toLowerCase();
  return CATEGORIES.find(([, signs]) => signs.some((sign) => lower.includes(sign)))?.[0] ?? "other";
}

export const troubleOf = (detail: string): AgentTrouble => ({ detail, category: categoryOf(detail) });

/** After these it makes no sense to hold an agent back from stopping. */
export const isFinal = (category: string): boolean => category === "unauthorized" || category === "out_of_credits";

const CATEGORIES: readonly (readonly [string, readonly string[]])[] = [
  [
    "unauthorized",
    ["authentication_error", "invalid api key", "invalid_api_key", "permission_error", "authentication_failed"],
  ],
  ["out_of_credits", ["billing", "insufficient credits", "out of credits", "credit", "payment_required"]],
  ["rate_limited", ["rate_limit_error", "rate limit", "rate_limit", "too many requests", "429"]],
  [
    "no_internet",
    ["connection refused", "connection reset", "dns", "timeout", "timed out", "network", "econnrefused", "enotfound"],
  ],
  ["server_error", ["api_error", "overloaded", "internal", "500", "502", "503"]],
];
