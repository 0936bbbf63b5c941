import type { Figure, Verdict } from "../measure/figure.ts";
import { amount } from "../measure/lines.ts";
import type { Result } from "../measure/result.ts";
import { drawing, element, line, words } from "./svg.ts";

const WIDTH = 860;
const LEFT = 420;
const TRACK = 260;
const ROW = 24;
const TOP = 44;
/** A bar twice as long as what it must be is cut off. */
const MOST = 2;

const styles: Record<Verdict, string> = { "aim reached": "aim", ok: "ok", MISSED: "missed", inconclusive: "unsure" };

/** A bar for each figure of the table, all to one scale: where it must be is in the middle. */
export function drawBars({ figures, commit, at }: Result): string {
  const shown = figures.filter(({ headline }) => headline);
  const rows = shown.flatMap((figure, n) => row(figure, TOP + n * ROW));
  const bottom = TOP + shown.length * ROW;
  const must = LEFT + TRACK / MOST;
  return drawing(WIDTH, bottom + 34, "What Coxswain costs, of what it must and aims to", [
    words(8, 22, "What Coxswain costs", "head"),
    words(must, 34, "must", "middle quiet"),
    ...rows,
    line(must, TOP - 4, must, bottom - 4, "must"),
    words(
      8,
      bottom + 18,
      `dashed: the aim · ↓ shorter is better, ↑ longer is better · ${at.slice(0, 10)}, ${commit}`,
      "quiet",
    ),
  ]);
}

function row({ name, kind, value, must, aim, verdict }: Figure, y: number): string[] {
  const length = (of: number) => (Math.min(of / must, MOST) / MOST) * TRACK;
  const arrow = kind === "rate" ? "↑" : "↓";
  return [
    words(8, y + 11, `${arrow} ${name}`),
    element("rect", { x: LEFT, y, width: TRACK, height: ROW - 8, class: "track" }),
    element("rect", { x: LEFT, y, width: length(value).toFixed(1), height: ROW - 8, class: styles[verdict] }),
    line(LEFT + length(aim), y - 2, LEFT + length(aim), y + ROW - 6, "wanted"),
    words(LEFT + TRACK + 12, y + 11, amount(value, kind)),
    words(WIDTH - 8, y + 11, `${must} / ${aim}`, "end quiet"),
  ];
}
