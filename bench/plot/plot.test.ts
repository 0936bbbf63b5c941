import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Figure } from "../measure/figure.ts";
import { newest, type Result, savedResults } from "../measure/result.ts";
import { drawBars } from "./bars.ts";
import { drawCourses } from "./courses.ts";
import { withTable } from "./table.ts";

const figure = (change: Partial<Figure>): Figure => ({
  name: "run",
  kind: "cost",
  value: 1.5,
  ratio: 1.5,
  floor: 1,
  must: 2,
  aim: 1,
  verdict: "ok",
  rounds: 5,
  spread: 0,
  aa: 0,
  headline: true,
  series: undefined,
  ...change,
});
const result = (...figures: Figure[]): Result => ({
  at: "2026-01-01T00:00:00.000Z",
  commit: "abc1234",
  node: "v20.20.2",
  machine: { cpu: "EPYC", cores: 2, memory_gb: 24, kernel: "6", extra_certificates: false },
  figures,
});
const read = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : "");

describe("drawings", () => {
  test("a bar's length is its share of what it must be; what isn't of the table has none", () => {
    const svg = drawBars(result(figure({}), figure({ name: "hidden", headline: undefined })));
    expect(svg).toContain('width="97.5" height="16" class="ok"'); // 1.5 of 2, where 2 is half of 260
    expect(svg).not.toContain("hidden");
  });

  test("a bar that would be too long is cut off, and a name is only ever text", () => {
    const svg = drawBars(result(figure({ name: "a <b> & c", value: 50, verdict: "MISSED" })));
    expect(svg).toContain('width="260.0" height="16" class="missed"');
    expect(svg).toContain("a &#60;b&#62; &#38; c");
  });

  test("a course begins at one, with its sizes at even steps", () => {
    const at = (size: number, value: number) => figure({ value, must: 1.5, series: { line: "`cox ls`", size } });
    const svg = drawCourses(result(at(1000, 1), at(10_000, 1), at(100_000, 2)));
    expect(svg).toContain('points="16.0,110.0 96.0,110.0 176.0,110.0 256.0,70.0"');
    expect(svg).toContain(">cox ls</text>");
  });
});

describe("the README", () => {
  const readme = "# A\n\n<!-- bench: written by npm run bench:plot -->\nold\n<!-- /bench -->\n\n## B\n";

  test("has the table between its marks, and keeps the rest", () => {
    const written = withTable(
      readme,
      result(figure({}), figure({ name: "rate", kind: "rate", value: 0.5, must: 0.4, aim: 1 })),
    );
    expect(written).toContain("| ↓ run | 1.50x | 2.00x | 1.00x |\n| ↑ rate | 0.50x | 0.40x | 1.00x |");
    expect(written).toMatch(/^# A\n[^]*<!-- \/bench -->\n\n## B\n$/);
    expect(written).not.toContain("old");
    expect(withTable(written, undefined)).toBe(readme.replace("old\n", ""));
  });

  test("shows the newest saved result, and so do the drawings (npm run bench:plot)", () => {
    const saved = newest(savedResults());
    expect(withTable(read("README.md"), saved)).toBe(read("README.md"));
    expect(read("docs/images/bench.svg")).toBe(saved === undefined ? "" : drawBars(saved));
    expect(read("docs/images/history.svg")).toBe(saved === undefined ? "" : drawCourses(saved));
  });
});
