import { AppError } from "../errors.ts";
import { runName } from "../ids.ts";
import type { RunInfo } from "./run.ts";

type Origin = Pick<RunInfo, "run_id" | "handle" | "process_ownership">;

/** Made elsewhere and handed in. The mark is set where it is taken in, whatever its own record says. */
export const isImported = ({ process_ownership }: Origin): boolean => process_ownership === "external";

/**
 * Before anything of this machine is reached through a run's record (its folder, its conversation, its rights): who hands one
 * in may write into it what they like.
 */
export function requireOwn<T extends Origin>(info: T): T {
  if (!isImported(info)) return info;
  throw new AppError("run.imported", `run ${runName(info)}: ${IMPORTED}`);
}

export const IMPORTED = "it was imported, so it can be read and nothing else; start a run of your own";
