import type { ErrorCategory, EventOf } from "../../contract/events.ts";

/** What an HTTP status of a model's server means to the person who waits for the answer. */
export function categoryOfStatus(status: number | undefined): ErrorCategory {
  if (status === undefined) return "other";
  if (status === 401 || status === 403) return "auth";
  if (status === 402) return "credits";
  if (status === 404) return "model";
  if (status === 413) return "context";
  if (status === 408) return "network";
  if (status === 429) return "rate_limit";
  if (status >= 500) return "server";
  return "other";
}

const remedies: Partial<Record<ErrorCategory, string>> = {
  auth: "log in again or check the API key of this agent",
  credits: "the account has no credit left: add some, or use another profile",
  rate_limit: "wait until the limit resets, or use another profile",
  model: "check the model's name with `cox agent show`",
  network: "check the connection and the base URL, then try again",
  server: "the model's server failed: try again later",
  context: "the conversation is too long: start a new one or ask the agent to compact it",
};

export interface Trouble {
  turn?: string;
  message: string;
  category: ErrorCategory;
  httpStatus?: number;
  stderrTail?: string;
}

/** An `error` event with the remedy and the retry rule that belong to its category. */
export function errorEvent(trouble: Trouble): EventOf<"error"> {
  const { category } = trouble;
  const retryable = category === "rate_limit" || category === "network" || category === "server";
  return { type: "error", ...trouble, retryable, remedy: remedies[category] };
}

/** The HTTP status an agent mentions in its error text ("API Error: 401 …", "status code 500"). */
export function statusInText(text: string): number | undefined {
  const match = /\b(?:api error|status(?: code)?|http(?:\/[\d.]+)?|"code")\W{1,3}([45]\d\d)\b/i.exec(text);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}
