/** One measurement: a subject against a baseline in the same run, interleaved, with the baseline against itself as a check. */
export interface Comparison {
  name: string;
  /** Cost in any unit, the same for both; smaller is better. */
  baseline: () => number | Promise<number>;
  subject: () => number | Promise<number>;
  rounds?: number;
  /** subject ÷ baseline. */
  must: number;
  aim: number;
  /** `rate`: the figure is baseline ÷ subject, so larger is better (0.35 of JSON.parse). */
  figure?: "cost" | "rate";
}

export interface Outcome {
  name: string;
  figure: number;
  must: number;
  aim: number;
  verdict: "aim reached" | "ok" | "MISSED" | "inconclusive";
}

const NOISE = 0.1;

/** The machine is noisy: minima of interleaved rounds, and no verdict when not even the baseline agrees with itself. */
export async function compare(comparison: Comparison): Promise<Outcome> {
  const { name, must, aim } = comparison;
  for (let attempt = 1; ; attempt += 1) {
    const { ratio, aa } = await measure(comparison);
    const figure = comparison.figure === "rate" ? 1 / ratio : ratio;
    const quiet = Math.abs(aa - 1) <= NOISE;
    const [good, great] =
      comparison.figure === "rate" ? [figure >= must, figure >= aim] : [figure <= must, figure <= aim];
    if (quiet || good || attempt === 3) {
      const verdict = great ? "aim reached" : good ? "ok" : quiet ? "MISSED" : "inconclusive";
      return { name, figure, must, aim, verdict };
    }
  }
}

async function measure({ baseline, subject, rounds = 9 }: Comparison): Promise<{ ratio: number; aa: number }> {
  const costs = { a: Number.POSITIVE_INFINITY, again: Number.POSITIVE_INFINITY, b: Number.POSITIVE_INFINITY };
  await baseline();
  await subject();
  for (let round = 0; round < rounds; round += 1) {
    costs.a = Math.min(costs.a, await baseline());
    costs.b = Math.min(costs.b, await subject());
    costs.again = Math.min(costs.again, await baseline());
  }
  return { ratio: costs.b / Math.min(costs.a, costs.again), aa: costs.again / costs.a };
}

export function printOutcome({ name, figure, must, aim, verdict }: Outcome): void {
  const side = must > aim ? "<=" : ">=";
  console.log(`${name.padEnd(58)} ${figure.toFixed(2).padStart(6)}   must ${side} ${must}, aim ${aim}   ${verdict}`);
}
