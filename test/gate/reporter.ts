import { appendFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import type { SuiteTally } from "./tally.ts";

/** Names what was skipped and what passed only when tried again; with COX_TALLY, leaves the suite's figures in that file. */
export default class TallyReporter implements Reporter {
  readonly #suite: string;

  constructor({ suite }: { suite: string }) {
    this.#suite = suite;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const flaky = tests.filter((test) => test.diagnostic()?.flaky === true);
    const names = (wanted: (test: TestCase) => boolean) => tests.filter(wanted).map(nameOf);
    const state = (wanted: string) => names((test) => test.result().state === wanted);
    const tally: SuiteTally = {
      suite: this.#suite,
      passed: state("passed").length,
      // A file that can't be loaded has no tests that could fail.
      failed: state("failed").length + modules.filter((module) => module.errors().length > 0).length + errors.length,
      skipped: state("skipped"),
      triedAgain: flaky.map(nameOf),
    };
    for (const name of tally.skipped) console.log(`SKIPPED: ${name}`);
    for (const test of flaky) console.log(`PASSED ONLY WHEN TRIED AGAIN: ${nameOf(test)}${whyOf(test)}`);
    if (process.env.COX_TALLY) appendFileSync(process.env.COX_TALLY, `${JSON.stringify(tally)}\n`);
  }
}

const nameOf = (test: TestCase) => `${test.module.relativeModuleId} > ${test.fullName}`;
/** What the first try failed of: nothing else keeps it. */
const whyOf = (test: TestCase) =>
  (test.result().errors ?? [])
    .map(({ message, stack = "" }) => `\n  ${message}\n  ${stack.split("\n")[1] ?? ""}`)
    .join("");
