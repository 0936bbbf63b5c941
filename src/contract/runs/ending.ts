import type { RunInfo } from "./run.ts";

/** What a command that waited for the run ends with: whatever failed is not 0, even where its agent said so. */
export const exitCodeOfRun = ({ status, exit_code }: Pick<RunInfo, "status" | "exit_code">): number =>
  status === "completed" ? 0 : Math.max(exit_code, 1);

/** `completed`, `failed (timeout)`, `failed (auth)`: the narrower reason where there is one. */
export function endingOf(info: Pick<RunInfo, "status" | "reason" | "category">): string {
  if (info.status !== "failed") return info.status;
  const why = info.reason === "turn_failed" && info.category !== "" ? info.category : info.reason;
  return why === "" ? "failed" : `failed (${why})`;
}
