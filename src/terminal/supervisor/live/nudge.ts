import type { AgentView } from "../host/terminal-api.ts";

/** The first prompt, given once the agent waits for one. */
export type Nudging =
  | { phase: "waiting"; until: number; tries: number }
  | { phase: "sent"; at: number; seq: number; until: number; tries: number }
  | { phase: "over"; how: "none wanted" | "it works already" | "taken" | "gave up" };

const PATIENCE_MS = 120_000;
const CHECK_MS = 15_000;
const TRIES = 5;

export const beginNudging = (text: string, now: number): Nudging =>
  text === "" ? { phase: "over", how: "none wanted" } : { phase: "waiting", until: now + PATIENCE_MS, tries: 0 };

/** Pure. `send` says that the text shall be given now; the answer goes to `nudged`. */
export function seen(nudging: Nudging, view: AgentView, now: number): { nudging: Nudging; send: boolean } {
  const over = (how: "it works already" | "taken" | "gave up") => ({
    nudging: { phase: "over" as const, how },
    send: false,
  });
  const stay = { nudging, send: false };
  switch (nudging.phase) {
    case "over":
      return stay;
    case "sent": {
      // A turn may begin and end between two looks: then the number of the state has moved.
      const moved = view.state === "working" || (view.since_seq ?? nudging.seq) !== nudging.seq;
      if (moved) return over("taken");
      if (now - nudging.at < CHECK_MS) return stay;
      return { nudging: { phase: "waiting", until: nudging.until, tries: nudging.tries }, send: false };
    }
    case "waiting":
      if (view.state === "working") return over(nudging.tries === 0 ? "it works already" : "taken");
      if (now > nudging.until || nudging.tries >= TRIES) return over("gave up");
      return { nudging, send: view.state === "idle" };
  }
}

/** After an attempt. Nothing typed is tried again at the next look; something typed is watched for its effect. */
export function nudged(nudging: Nudging, delivered: boolean, view: AgentView, now: number): Nudging {
  if (nudging.phase !== "waiting") return nudging;
  const tries = nudging.tries + 1;
  if (!delivered) return { ...nudging, tries };
  return { phase: "sent", at: now, seq: view.since_seq ?? 0, until: nudging.until, tries };
}
