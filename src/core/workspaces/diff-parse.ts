import { shown } from "./git/git.ts";

export interface FileChange {
  path: string;
  oldPath?: string;
  change: "create" | "modify" | "delete" | "rename";
  added: number;
  removed: number;
  binary: boolean;
  /** A unified diff; only where it was asked for. */
  unified?: string;
  /** The diff is longer than shown. */
  truncated?: true;
}

/** One entry of `--raw`: exact, as bytes. */
export interface RawChange {
  status: string;
  oldMode: string;
  newMode: string;
  /** The contents' names; zeros where there is no file. */
  oldBlob: string;
  newBlob: string;
  path: string;
  oldPath?: string;
}

export const GITLINK = "160000";

/** The output of `git diff-tree -z --raw --numstat`: all raw entries, then the figures in the same order. */
export function parseChanges(output: Buffer): { raw: RawChange[]; files: FileChange[] } {
  const fields = output.toString("latin1").split("\0").slice(0, -1);
  const raw = parseRaw(fields);
  const rest = fields.slice(raw.reduce((sum, entry) => sum + (entry.oldPath === undefined ? 2 : 3), 0));
  const figures = parseFigures(rest);
  const files = raw.map((entry, i) => fileChange(entry, figures[i]));
  return { raw, files };
}

function parseRaw(fields: readonly string[]): RawChange[] {
  const raw: RawChange[] = [];
  for (let i = 0; fields[i]?.startsWith(":"); ) {
    const [oldMode = "", newMode = "", oldBlob = "", newBlob = "", status = ""] = (fields[i] ?? "").slice(1).split(" ");
    const first = fields[i + 1] ?? "";
    const moved = /^[RC]/.test(status);
    const entry = { status: status.slice(0, 1), oldMode, newMode, oldBlob, newBlob };
    raw.push(moved ? { ...entry, path: fields[i + 2] ?? "", oldPath: first } : { ...entry, path: first });
    i += moved ? 3 : 2;
  }
  return raw;
}

interface Figures {
  added: number;
  removed: number;
  binary: boolean;
}

function parseFigures(fields: readonly string[]): Figures[] {
  const figures: Figures[] = [];
  for (let i = 0; i < fields.length; ) {
    const [added = "", removed = "", path] = (fields[i] ?? "").split("\t");
    figures.push({ added: Number(added) || 0, removed: Number(removed) || 0, binary: added === "-" });
    // A rename leaves the name empty and gives both afterwards.
    i += path === "" ? 3 : 1;
  }
  return figures;
}

function fileChange({ status, path, oldPath }: RawChange, figures: Figures | undefined): FileChange {
  const { added = 0, removed = 0, binary = false } = figures ?? {};
  const change = CHANGES[status] ?? "modify";
  const from = oldPath === undefined ? {} : { oldPath: shown(oldPath) };
  return { path: shown(path), ...from, change, added, removed, binary };
}

const CHANGES: Readonly<Record<string, FileChange["change"]>> = { A: "create", D: "delete", R: "rename" };

/** The patch of each entry, in their order. A file that became a link (or back) comes as two patches: away with it, and new. */
export function splitPatch(patch: Buffer, raw: readonly RawChange[]): string[] {
  const text = patch.toString("latin1");
  const parts = text.split(/^(?=diff --git )/m).filter((part) => part.startsWith("diff --git "));
  let next = 0;
  return raw.map(({ status }) => {
    const count = status === "T" ? 2 : 1;
    const own = parts.slice(next, next + count).join("");
    next += count;
    return shown(own);
  });
}

export function diffStat(files: readonly Pick<FileChange, "added" | "removed">[]): string {
  const sum = (key: "added" | "removed") => files.reduce((total, file) => total + file[key], 0);
  return `${files.length} ${files.length === 1 ? "file" : "files"}, +${sum("added")} −${sum("removed")}`;
}
