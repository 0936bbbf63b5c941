/** One measurement: a subject against a floor in the same run, interleaved, with the floor against itself as a check. */
export interface Comparison {
  name: string;
  /** Cost in any unit, the same for both; smaller is better. */
  baseline: () => number | Promise<number>;
  subject: () => number | Promise<number>;
  rounds?: number;
  /** With `--quick`; as many as without it if left out. */
  quickRounds?: number;
  must: number;
  aim: number;
  /**
   * What the figure is: `cost` is subject ÷ floor; `rate` is floor ÷ subject, so larger is better (0.35 of JSON.parse); `ms` and
   * `MB` are the subject's own.
   */
  figure?: Kind;
  /** It stands in the table of the README. */
  headline?: true;
  /** It is one of several at growing sizes, and is drawn as a line. */
  series?: Place;
}

export type Kind = "cost" | "rate" | "ms" | "MB";

export interface Place {
  line: string;
  size: number;
}

/** What was found, as it is kept. */
export interface Figure {
  name: string;
  kind: Kind;
  value: number;
  must: number;
  aim: number;
  verdict: Verdict;
  /** subject ÷ floor, whatever the figure is: what can be compared with another day's. */
  ratio: number;
  /** The floor's own cost: milliseconds where it is time or CPU, kilobytes or bytes where it is memory. */
  floor: number;
  rounds: number;
  /** How far off the figure can be by the scatter of its own rounds, as a share of it. */
  spread: number;
  /** How far the floor was from itself, measured in the same way. */
  aa: number;
  headline: true | undefined;
  series: Place | undefined;
}

export type Verdict = "aim reached" | "ok" | "MISSED" | "inconclusive";

/** The costs of all rounds; `again` is the floor once more. */
export interface Rounds {
  first: readonly number[];
  subject: readonly number[];
  again: readonly number[];
}

/** Beyond this nothing is said of a figure but that the machine was busy. */
export const NOISE = 0.1;

export function sumUp(
  { first, subject, again }: Rounds,
  kind: Kind,
): Pick<Figure, "value" | "ratio" | "floor" | "spread" | "aa"> {
  const floor = [...first, ...again];
  const ratio = median(subject) / median(floor);
  const values: Record<Kind, number> = { cost: ratio, rate: 1 / ratio, ms: median(subject), MB: median(subject) };
  return {
    value: values[kind],
    ratio,
    floor: median(floor),
    spread: Math.hypot(notch(subject), notch(floor)),
    aa: Math.abs(median(again) / median(first) - 1),
  };
}

/** How much of a figure is doubt. */
export const doubt = ({ spread, aa }: Pick<Figure, "spread" | "aa">): number => Math.max(spread, aa);

export function judge(
  { value, spread, aa }: Pick<Figure, "value" | "spread" | "aa">,
  { kind, must, aim }: Pick<Figure, "kind" | "must" | "aim">,
): Verdict {
  const within = (limit: number) => (kind === "rate" ? value >= limit : value <= limit);
  if (within(aim)) return "aim reached";
  if (within(must)) return "ok";
  return doubt({ spread, aa }) <= NOISE ? "MISSED" : "inconclusive";
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [below = Number.NaN, above = below] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return below + (above - below) * (at - Math.floor(at));
}

/** That of a box plot: two medians whose notches don't overlap are apart. As a share of the median. */
function notch(values: readonly number[]): number {
  const width = quantile(values, 0.75) - quantile(values, 0.25);
  return (1.57 * width) / Math.sqrt(values.length) / median(values);
}
