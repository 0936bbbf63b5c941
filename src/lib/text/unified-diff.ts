import { createTwoFilesPatch } from "diff";

/** Beyond this many edits the exact diff isn't worth its time: the whole text is shown as replaced. */
const MAX_EDITS = 4000;

/** A unified diff as `git diff` prints it; `undefined` stands for a file that isn't there. */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  const from = before === undefined ? "/dev/null" : `a/${path}`;
  const to = after === undefined ? "/dev/null" : `b/${path}`;
  const options = { context: 3, maxEditLength: MAX_EDITS };
  const patch = createTwoFilesPatch(from, to, before ?? "", after ?? "", undefined, undefined, options);
  return patch === undefined ? replaced(from, to, before ?? "", after ?? "") : patch.replace(/^=+\n/, "");
}

function replaced(from: string, to: string, before: string, after: string): string {
  const old = before.split("\n");
  const now = after.split("\n");
  const body = [...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)].join("\n");
  return `--- ${from}\n+++ ${to}\n@@ -1,${old.length} +1,${now.length} @@\n${body}\n`;
}
