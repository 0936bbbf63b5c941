import { doubt, type Figure, NOISE } from "./figure.ts";

/** How much worse than before is a failure, beyond what the two measurements doubt of themselves. */
const WORSE = 0.2;
/** On a busy machine only what is this many times its doubt is believed. */
const BEYOND_DOUBT = 4;

export interface Change {
  name: string;
  /** The share by which it costs more than it did; less than zero if it costs less. */
  more: number;
  /** The share up to which that says nothing. */
  allowed: number;
  verdict: "same" | "faster" | "SLOWER" | "inconclusive";
}

/** Each figure beside the one of its name in a saved result. Ratios to a floor are compared: the floor moves with the machine. */
export function changes(now: readonly Figure[], before: readonly Figure[]): Change[] {
  const saved = new Map(before.map((figure) => [figure.name, figure]));
  return now.flatMap((figure) => {
    const was = saved.get(figure.name);
    return was === undefined ? [] : [changeOf(figure, was)];
  });
}

function changeOf(figure: Figure, was: Figure): Change {
  const more = figure.ratio / was.ratio - 1;
  const doubts = Math.hypot(doubt(figure), doubt(was));
  const allowed = WORSE + doubts;
  const { name } = figure;
  if (more < -allowed) return { name, more, allowed, verdict: "faster" };
  if (more <= allowed) return { name, more, allowed, verdict: "same" };
  const isSure = doubt(figure) <= NOISE || more > WORSE + BEYOND_DOUBT * doubts;
  return { name, more, allowed, verdict: isSure ? "SLOWER" : "inconclusive" };
}
