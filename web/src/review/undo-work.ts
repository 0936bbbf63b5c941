import { plural } from "../../../src/contract/words/figures.ts";
import { server } from "../api/client.ts";
import { ask } from "../ui/ask.tsx";
import { say } from "../ui/toast.tsx";

/** The turn after which everything is undone, or the last undo taken back. */
export type UndoTo = number | "redo";

/** Shown first, then done. What was edited since is merged if the person wants it. */
export async function undoWork(run: string, to: UndoTo): Promise<void> {
  const undo = (wishes: { preview?: boolean; merge?: boolean }) =>
    server.call("POST /runs/{run}/workspace/undo", { params: { run }, body: { to, ...wishes } });
  const plain = await undo({ preview: true });
  const merge = plain.edited.length > 0;
  if (merge && !(await wantsMerge(plain))) return;
  const { changes, edited, folder, notes } = merge ? await undo({ preview: true, merge }) : plain;
  if (edited.length > 0) {
    return say(`Nothing was changed: the edits overlap what the run did in ${edited.join(", ")}`, true);
  }
  if (changes.length === 0) return say("The files are like that already.");
  const list = listed(changes.map(({ path, change }) => `${change} ${path}`));
  const sure = await ask({
    title: titleFor(to),
    text: [`${plural(changes.length, "file")} would change in ${folder}:`, list, ...notes].join("\n\n"),
    yes: "Change the files",
    danger: true,
  });
  if (sure === undefined) return;
  await undo({ merge });
  say(to === "redo" ? "Done." : "Done. It can be taken back.");
}

async function wantsMerge({ edited, folder }: { edited: readonly string[]; folder: string }): Promise<boolean> {
  const text = `Edited in ${folder} since the run:\n\n${listed(edited)}`;
  return (await ask({ title: "Keep these edits?", text, yes: "Merge them" })) !== undefined;
}

function titleFor(to: UndoTo): string {
  if (to === "redo") return "Take the last undo back?";
  return to === 0 ? "Undo all that the run did?" : `Undo what it did after turn ${to}?`;
}

const SHOWN = 12;

const listed = (lines: readonly string[]): string =>
  [...lines.slice(0, SHOWN), ...(lines.length > SHOWN ? ["…"] : [])].join("\n");
