import { dirname } from "node:path";
import type { TaskFile } from "../../../contract/tasks/task-file.ts";
import { isWithin } from "../../../lib/files/within.ts";
import { isCheckout } from "../../workspaces/git/repository.ts";

/** The files that a task is worked on; `undefined` where nobody else has them, or where that doesn't matter to it. */
export function checkoutOf({ workspace, worktree, policy }: TaskFile): string | undefined {
  if (worktree !== undefined || policy.same_checkout) return undefined;
  for (let folder = workspace; folder !== dirname(folder); folder = dirname(folder)) {
    if (isCheckout(folder)) return folder;
  }
  return workspace;
}

/** Two agents there would overwrite each other's work. */
export const overlap = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && (isWithin(a, b) || isWithin(b, a));
