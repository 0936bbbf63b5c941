import { type Comparison, type Figure, judge, type Rounds, sumUp } from "./figure.ts";

const ATTEMPTS = 3;

/** The machine is noisy: medians of interleaved rounds, measured anew while it could be the noise that missed the mark. */
export async function compare(comparison: Comparison, { quick = false } = {}): Promise<Figure> {
  const { name, must, aim, figure: kind = "cost", headline, series } = comparison;
  const rounds = (quick ? comparison.quickRounds : undefined) ?? comparison.rounds ?? 9;
  for (let attempt = 1; ; attempt += 1) {
    const found = sumUp(await measure(comparison, rounds), kind);
    const verdict = judge(found, { kind, must, aim });
    if (verdict === "inconclusive" && !quick && attempt < ATTEMPTS) continue;
    return { name, kind, must, aim, verdict, rounds, ...found, headline, series };
  }
}

async function measure({ baseline, subject }: Comparison, rounds: number): Promise<Rounds> {
  const costs = { first: [] as number[], subject: [] as number[], again: [] as number[] };
  // The first makes what later ones find.
  await baseline();
  await subject();
  for (let round = 0; round < rounds; round += 1) {
    costs.first.push(await baseline());
    costs.subject.push(await subject());
    costs.again.push(await baseline());
  }
  return costs;
}
