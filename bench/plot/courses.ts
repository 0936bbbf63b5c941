import type { Figure } from "../measure/figure.ts";
import type { Result } from "../measure/result.ts";
import { drawing, element, line, words } from "./svg.ts";

const SIZES = [100, 1000, 10_000, 100_000];
const CELL = { width: 280, height: 150 };
const ACROSS = 3;
const TOP = 40;
const PLOT = { left: 16, top: 30, width: 240, height: 80 };

/** What everyday work costs as the history grows: a small drawing for each, of what it costs after the first hundred runs. */
export function drawCourses({ figures, commit, at }: Result): string {
  const titles = [...new Set(figures.flatMap(({ series }) => (series === undefined ? [] : [series.line])))];
  const cells = titles.flatMap((title, n) =>
    cell(
      title,
      figures.filter(({ series }) => series?.line === title),
      n,
    ),
  );
  const height = TOP + Math.ceil(titles.length / ACROSS) * CELL.height + 20;
  return drawing(ACROSS * CELL.width, height, "What work costs as the history grows", [
    words(8, 22, "What work costs as the history grows, of what it costs after 100 runs", "head"),
    ...cells,
    words(8, height - 8, `dashed: the most it may · ${at.slice(0, 10)}, ${commit}`, "quiet"),
  ]);
}

function cell(title: string, course: readonly Figure[], n: number): string[] {
  const [left, top] = [(n % ACROSS) * CELL.width + PLOT.left, TOP + Math.floor(n / ACROSS) * CELL.height + PLOT.top];
  const points = [{ size: 100, value: 1 }, ...course.map(({ series, value }) => ({ size: series?.size ?? 0, value }))];
  const most = Math.max(2, ...points.map(({ value }) => value));
  const x = (size: number) => left + (Math.log10(size / 100) / 3) * PLOT.width;
  const y = (value: number) => top + PLOT.height * (1 - value / most);
  const path = points.map(({ size, value }) => `${x(size).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const must = course[0]?.must ?? 1;
  return [
    words(left, top - 12, title.replaceAll("`", ""), "head"),
    line(left, top + PLOT.height, left + PLOT.width, top + PLOT.height, "grid"),
    line(left, y(must), left + PLOT.width, y(must), "wanted"),
    element("polyline", { points: path, class: "course" }),
    ...points.map(({ size, value }) => words(x(size), y(value) - 5, value.toFixed(2), "middle")),
    ...SIZES.map((size) => words(x(size), top + PLOT.height + 15, shortSize(size), "middle quiet")),
  ];
}

const shortSize = (size: number): string => (size < 1000 ? String(size) : `${size / 1000}k`);
