import type { Reporter, TestModule } from "vitest/node";
import { writeTable } from "../../scripts/agents-table.ts";
import { formatResults, type Results, readResults, writeResults } from "./results.ts";

/** What a run has shown must be what is written; `UPDATE_TABLE=1` writes it anew. */
export default class ResultsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const seen = resultsOf(modules);
    if (seen === undefined) return;
    const known = readResults();
    const results = inOrder({ ...known, ...seen });
    if (process.env.UPDATE_TABLE === "1") {
      writeResults(results);
      writeTable();
    } else if (formatResults(results) !== formatResults(known)) {
      console.error("\nThe results are not those in results.json: look at them, then run with UPDATE_TABLE=1.");
      process.exitCode = 1;
    }
  }
}

/** By agent, of those that were run. Nothing when a test failed or was left out: then there is no new truth. */
function resultsOf(modules: readonly TestModule[]): Results | undefined {
  const results: Results = {};
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const agent = test.parent.type === "suite" ? test.parent.name : "";
      if (!order.includes(agent)) continue; // a test of something else
      if (test.result().state !== "passed") return undefined;
      const { gap } = test.meta();
      (results[agent] ??= {})[test.name] = gap === undefined ? "pass" : { gap };
    }
  }
  return results;
}

const inOrder = (results: Results): Results =>
  Object.fromEntries(Object.entries(results).sort(([a], [b]) => rank(a) - rank(b)));

const order = ["claude", "codex", "gemini", "opencode", "claude-acp", "codex-acp", "demo"];
const rank = (agent: string) => order.indexOf(agent);
