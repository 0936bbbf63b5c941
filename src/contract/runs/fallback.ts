import { AppError } from "../errors.ts";
import type { RunInfo } from "./run.ts";

/** Troubles of an account or an installation: another agent doesn't have them. */
const categories = new Set(["auth", "credits", "rate_limit"]);

/** Why another agent should take over, if it should; `undefined` when this one has done or spoilt the work itself. */
export function whyFallBack(
  info: Pick<RunInfo, "status" | "reason" | "category" | "error_summary">,
): string | undefined {
  if (info.status !== "failed") return undefined;
  const isTrouble = info.reason === "spawn_failed" || (info.reason === "turn_failed" && categories.has(info.category));
  return isTrouble ? info.error_summary : undefined;
}

/** The same for an agent that could not even be asked. */
export function whyRefused(error: unknown): string | undefined {
  if (!(error instanceof AppError)) return undefined;
  const { code, message } = error;
  return code === "agent.not_installed" || code === "agent.not_executable" || code === "agent.not_ready"
    ? message
    : undefined;
}
