/** What one suite did, as its reporter writes it down. Tests go by name: `file > describe > test`. */
export interface SuiteTally {
  suite: string;
  passed: number;
  failed: number;
  skipped: readonly string[];
  /** Passed, but not at the first try. */
  triedAgain: readonly string[];
}

/** Its programs are no packages that could be installed: where they are missing the whole suite may be left out. */
export const MAY_SKIP = "cluster";

/** What is wrong with a round of suites although no test failed. */
export function complaintsAbout(expected: readonly string[], tallies: readonly SuiteTally[]): string[] {
  const missing = expected.filter((suite) => !tallies.some((tally) => tally.suite === suite));
  const empty = tallies.filter(
    ({ suite, passed, skipped }) => passed === 0 && !(suite === MAY_SKIP && skipped.length > 0),
  );
  const skipped = tallies.filter(({ suite }) => suite !== MAY_SKIP).flatMap((tally) => tally.skipped);
  return [
    ...missing.map((suite) => `${suite}: has not been run, or did not reach its end`),
    ...empty.map(({ suite }) => `${suite}: ran nothing`),
    ...skipped.map((name) => `${name}: was skipped; what it needs has to be installed`),
  ];
}

/** The one line that sums up everything, for whoever reads nothing else of a log. */
export function totalOf(tallies: readonly SuiteTally[]): string {
  const sum = (count: (tally: SuiteTally) => number) => tallies.reduce((all, tally) => all + count(tally), 0);
  const [passed, failed] = [sum((tally) => tally.passed), sum((tally) => tally.failed)];
  return `${passed} passed, ${failed} failed, ${sum((tally) => tally.skipped.length)} skipped`;
}
