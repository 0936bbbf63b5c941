import type { EventOf } from "../../../contract/events.ts";
import type { RunReason } from "../../../contract/runs/run.ts";

/** Why we ended a run, if we did; else the agent ended by itself. */
export type EndCause =
  | { by: "turn_complete" }
  /** `inTurn` is filled in by the run: whether something was under way. */
  | { by: "stop"; signal?: "SIGINT" | "SIGTERM"; inTurn?: boolean }
  /** Nobody asked anything of it for long: its conversation is closed until somebody does. */
  | { by: "idle"; detail: string }
  | { by: "limit"; reason: "timeout" | "idle_timeout" | "budget"; detail: string }
  | { by: "failure"; reason: "spawn_failed" | "invalid" | "internal"; detail: string; exitCode: number };

export interface RunFacts {
  /** `undefined`: the agent ended by itself. */
  cause: EndCause | undefined;
  exit: { code: number; signal?: string } | undefined;
  /** The last turn's end; `open` when there was none. */
  lastTurn: EventOf<"complete">["outcome"] | "open" | undefined;
  lastError: EventOf<"error"> | undefined;
}

export interface Verdict {
  status: "completed" | "failed";
  reason: RunReason | "";
  category: string;
  /** What a shell would see: the agent's own code when it ended by itself. */
  exitCode: number;
  summary: string;
}

const ok = (exitCode = 0): Verdict => ({ status: "completed", reason: "", category: "", exitCode, summary: "" });

export function judge(facts: RunFacts): Verdict {
  const { cause } = facts;
  switch (cause?.by) {
    case "failure":
      return failed(cause.reason, cause.exitCode, cause.detail);
    case "limit":
      return failed(cause.reason, 124, cause.detail);
    case "stop":
      return cause.inTurn ? judgeStop(cause) : judgeConversation(facts);
    case "idle":
      return judgeConversation(facts);
    case "turn_complete":
      return judgeTurn(facts);
    default:
      return judgeExit(facts);
  }
}

/** Closed between turns, it ended as its last turn did: as its task has it since then. */
function judgeConversation(facts: RunFacts): Verdict {
  return facts.lastTurn === undefined ? ok() : judgeTurn(facts);
}

function judgeStop({ signal }: Extract<EndCause, { by: "stop" }>): Verdict {
  const exitCode = signal === "SIGINT" ? 130 : signal === "SIGTERM" ? 143 : 1;
  return failed("stopped", exitCode, "stopped while a turn was under way");
}

function judgeTurn(facts: RunFacts): Verdict {
  if (facts.lastTurn === "completed") return ok();
  if (facts.lastTurn === "interrupted") return failed("stopped", 130, "the turn was interrupted");
  return turnFailed(facts, 1);
}

function judgeExit(facts: RunFacts): Verdict {
  const { code = 1, signal } = facts.exit ?? {};
  if (signal !== undefined) return failed("signal", code, `the agent was ended by ${signal}`);
  if (code !== 0) return failed("exit_code", code, `the agent exited with code ${code}`);
  if (facts.lastTurn === "failed" || facts.lastTurn === "open") return turnFailed(facts, 1);
  return ok();
}

function turnFailed({ lastError }: RunFacts, exitCode: number): Verdict {
  const summary = lastError?.message ?? "the turn failed";
  return { status: "failed", reason: "turn_failed", category: lastError?.category ?? "other", exitCode, summary };
}

function failed(reason: RunReason, exitCode: number, summary: string): Verdict {
  return { status: "failed", reason, category: "", exitCode, summary };
}
