import { AppError } from "../../contract/errors.ts";
import { runName } from "../../contract/ids.ts";
import type { Home } from "../../core/store/home.ts";
import { readClaims } from "../../core/store/runs/claims.ts";
import { runPaths } from "../../core/store/runs/run-directory.ts";
import { readRunInfo } from "../../core/store/runs/run-info.ts";
import type { FileChange } from "../../core/workspaces/diff-parse.ts";
import type { Paint } from "../../lib/command/paint.ts";
import { renderTable } from "../../lib/command/table.ts";
import { isWithin } from "../../lib/files/within.ts";
import { oneLine } from "../../lib/text/printable.ts";

/** Whoever works there would have the files changed under its hands. */
export function requireNobodyAtWork(home: Home, root: string): void {
  for (const { claim } of readClaims(home)) {
    const info = claim && readRunInfo(runPaths(claim.dir).info);
    if (info?.status !== "running" || !isWithin(info.cwd, root)) continue;
    const name = runName(info);
    throw new AppError("workspace.busy", `run ${name}: works in ${info.cwd}; stop it first: cox stop ${name}`);
  }
}

export function renderFiles(files: readonly FileChange[], paint: Paint): string {
  return renderTable(files.map((file) => [wordFor(file, paint), countOf(file, paint), nameOf(file, paint)]));
}

function wordFor({ change }: FileChange, paint: Paint): string {
  const colour = change === "create" ? paint.green : change === "delete" ? paint.red : paint.yellow;
  return colour(change);
}

function countOf({ binary, added, removed }: FileChange, paint: Paint): string {
  return binary ? "binary" : `${paint.green(`+${added}`)} ${paint.red(`${paint.marks.minus}${removed}`)}`;
}

const nameOf = ({ path, oldPath }: FileChange, { marks }: Paint) =>
  oldPath === undefined ? oneLine(path) : `${oneLine(oldPath)} ${marks.arrow} ${oneLine(path)}`;
