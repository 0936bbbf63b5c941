import { columnsOf, fit } from "./view/columns.ts";

/** Columns as wide as their widest cell; the last one takes what is left of the screen, where there is one. */
export function renderTable(rows: readonly (readonly string[])[], width?: number): string {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: Math.max(count - 1, 0) }, (_, index) =>
    Math.max(...rows.map((row) => columnsOf(row[index] ?? ""))),
  );
  const used = widths.reduce((sum, each) => sum + each + 2, 0);
  return rows
    .map((row) => {
      const cells = widths.map((each, index) => pad(row[index] ?? "", each + 2));
      const last = row[count - 1] ?? "";
      const line = cells.join("") + (width === undefined ? last : fit(last, Math.max(width - used, 10)));
      return `${line.trimEnd()}\n`;
    })
    .join("");
}

const pad = (text: string, width: number) => text + " ".repeat(Math.max(width - columnsOf(text), 0));
