import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeTree } from "../../../lib/files/tree/remove-tree.ts";
import type { RawChange } from "../diff-parse.ts";
import { line } from "../git/git.ts";
import type { Workspace } from "./workspace.ts";

/** A file's three versions: what the run left, what it is to be without that, what it is now. */
export interface EditedFile {
  undo: RawChange;
  since: RawChange;
}

/** What the file is to be with the edits kept; `undefined` where they overlap what is reversed, or it is no text. */
export async function mergeEdits({ shadow }: Workspace, { undo, since }: EditedFile): Promise<RawChange | undefined> {
  const modes = [undo.oldMode, undo.newMode, since.newMode];
  if (!modes.every((mode) => mode === "100644" || mode === "100755")) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "cox-merge-"));
  try {
    const versions = { present: since.newBlob, left: undo.oldBlob, wanted: undo.newBlob };
    for (const [name, blob] of Object.entries(versions)) {
      const { stdout } = await shadow.git(["cat-file", "blob", blob]);
      writeFileSync(join(folder, name), stdout, { mode: 0o600 });
    }
    const files = Object.keys(versions).map((name) => join(folder, name));
    // It answers with the number of conflicts, or 255 for what it can't merge at all.
    const merged = await shadow.git(["merge-file", "-p", "-q", ...files], { answers: CONFLICTS });
    if (merged.code !== 0) return undefined;
    const made = await shadow.git(["hash-object", "-w", "--no-filters", "--stdin"], {
      input: merged.stdout,
      writes: true,
    });
    const newMode = since.newMode === undo.oldMode ? undo.newMode : since.newMode;
    return { ...undo, oldMode: since.newMode, oldBlob: since.newBlob, newMode, newBlob: line(made) };
  } finally {
    removeTree(folder);
  }
}

const CONFLICTS = [...Array.from({ length: 127 }, (_, i) => i + 1), 255];
