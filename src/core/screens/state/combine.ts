import type { AgentState, Prompt, Report, Tier } from "./agent-state.ts";

/** What is held to be true now, and on whose word. */
export interface Held {
  state: AgentState;
  tier: Tier | undefined;
  prompt: Prompt | undefined;
  /** Since when, in wall time. */
  since: number;
  /** What each of them said the agent asks for: they say the same in different words. */
  inputs: Readonly<Partial<Record<Tier, string>>>;
}

export type Verdict =
  /** It is so from now on. */
  | "take"
  /** Nothing new, but the word of somebody else. */
  | "confirm"
  | "ignore";

/**
 * Five observers with one answer. Whoever is at least as trusted as the last speaker is believed; a less trusted one only when
 * it says that more is going on, or when it has been saying the same for so long that the other must have missed something: an
 * answer typed by hand, a hook that did not run.
 */
export function combine(held: Held, report: Report, now: number): Verdict {
  if (report.state === "exited") return held.state === "exited" ? "ignore" : "take";
  if (held.state === "exited") return report.state === "restarting" ? "take" : "ignore";
  if (report.state === "starting") return held.state === "restarting" ? "take" : "ignore";
  if (held.state === "restarting") return "ignore";
  if (report.at !== undefined && report.at < held.since) return "ignore";
  if (isSame(held, report)) return report.tier === held.tier ? "ignore" : "confirm";
  if (isLesserPrompt(held, report)) return "ignore";
  const trusted = held.tier === undefined || report.tier <= held.tier;
  if (trusted) return "take";
  // A screen is drawn a moment after the hook has told: what it shows then is the past. A question it shows stands.
  const isFresh = report.state !== "prompt" && now - held.since < SCREEN_LAG_MS;
  if (PRIORITY[report.state] > PRIORITY[held.state]) return isFresh ? "ignore" : "take";
  return (report.heldMs ?? 0) >= BELIEVED_MS ? "take" : "ignore";
}

/** Longer than any hook needs to arrive. */
export const BELIEVED_MS = 5000;

export const SCREEN_LAG_MS = 1000;

const PRIORITY: Readonly<Record<AgentState, number>> = {
  starting: 0,
  unknown: 0,
  idle: 1,
  error: 2,
  parked: 2,
  working: 3,
  prompt: 4,
  restarting: 5,
  exited: 5,
};

/** Two prompts are the same when they ask the same; what is known of them may differ. */
function isSame(held: Held, { state, prompt, tier }: Report): boolean {
  if (state !== held.state) return false;
  if (state !== "prompt") return true;
  const said = prompt?.input ?? undefined;
  const before = held.inputs[tier];
  const asksElse = said !== undefined && before !== undefined && said !== before;
  return held.prompt?.type === prompt?.type && held.prompt?.subtype === prompt?.subtype && !asksElse;
}

/** A plan or a question also makes the agent say that it waits for leave; that is no new prompt. */
function isLesserPrompt(held: Held, report: Report): boolean {
  if (held.state !== "prompt" || report.state !== "prompt") return false;
  const asks = held.prompt?.type === "plan" || held.prompt?.type === "question";
  return asks && report.prompt?.type === "permission";
}
