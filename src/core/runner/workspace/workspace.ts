import { realpathSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { slug } from "../../../contract/ids.ts";
import { isCheckout } from "../../workspaces/git/repository.ts";

/** The folder an agent works in, as it really is; refused where nobody would want an agent. */
export function requireWorkspace(path: string, from = "/"): string {
  const asked = resolve(from, path);
  let real: string;
  try {
    real = realpathSync(asked);
  } catch {
    throw invalid(asked, "does not exist; create it, or name another with --cwd");
  }
  if (!statSync(real).isDirectory()) throw invalid(asked, "is not a folder; name one with --cwd");
  if (real === "/") throw invalid(asked, "is the root of the file system; name a project's folder with --cwd");
  return real;
}

function invalid(path: string, why: string): AppError {
  return new AppError("workspace.invalid", `workspace ${path}: ${why}`, { path });
}

/** The project is named after the repository the folder belongs to, else after the folder. */
export function projectOf(workspace: string): string {
  for (let folder = workspace; folder !== dirname(folder); folder = dirname(folder)) {
    if (isCheckout(folder)) return slug(basename(folder));
  }
  return slug(basename(workspace));
}
