import { columnsOf, fit, wrapWords } from "./columns.ts";

/** Columns as wide as their widest cell; the last one takes what is left of the screen, where there is one. */
export function renderTable(rows: readonly (readonly string[])[], width?: number): string {
  const widths = widthsOf(rows);
  const used = before(rows);
  return rows
    .map((row) => {
      const cells = widths.map((each, index) => pad(row[index] ?? "", each + 2));
      const last = row[widths.length] ?? "";
      const line = cells.join("") + (width === undefined ? last : fit(last, Math.max(width - used, 4)));
      return `${line.trimEnd()}\n`;
    })
    .join("");
}

/** The same, but what doesn't fit goes on below: for a last column of which nothing may be missing. */
export function renderWrapped(rows: readonly (readonly string[])[], width?: number): string {
  const widths = widthsOf(rows);
  const used = before(rows);
  const room = width === undefined ? Number.POSITIVE_INFINITY : Math.max(width - used, ROOM);
  const lines = rows.flatMap((row) => {
    const cells = widths.map((each, index) => pad(row[index] ?? "", each + 2)).join("");
    return wrapWords(row[widths.length] ?? "", room).map((part, i) => (i === 0 ? cells : " ".repeat(used)) + part);
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

/** What the last column should have at least, for a few words. */
const ROOM = 10;

/** On a narrow screen the table goes without columns that can be spared, named in the order in which they go. */
export function withoutSpare(
  rows: readonly (readonly string[])[],
  width: number,
  spare: readonly string[],
): readonly (readonly string[])[] {
  let kept = rows;
  for (const name of spare) {
    if (before(kept) + ROOM <= width) break;
    const at = kept[0]?.indexOf(name) ?? -1;
    if (at !== -1) kept = kept.map((row) => row.toSpliced(at, 1));
  }
  return kept;
}

/** Of all columns but the last one. */
function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const count = Math.max(1, ...rows.map((row) => row.length));
  return Array.from({ length: count - 1 }, (_, index) => Math.max(...rows.map((row) => columnsOf(row[index] ?? ""))));
}

const before = (rows: readonly (readonly string[])[]) => widthsOf(rows).reduce((sum, each) => sum + each + 2, 0);

const pad = (text: string, width: number) => text + " ".repeat(Math.max(width - columnsOf(text), 0));
