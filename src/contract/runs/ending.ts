import type { RunInfo } from "./run.ts";

/** `completed`, `failed (timeout)`, `failed (auth)`: the narrower reason where there is one. */
export function endingOf(info: Pick<RunInfo, "status" | "reason" | "category">): string {
  if (info.status !== "failed") return info.status;
  const why = info.reason === "turn_failed" && info.category !== "" ? info.category : info.reason;
  return why === "" ? "failed" : `failed (${why})`;
}
