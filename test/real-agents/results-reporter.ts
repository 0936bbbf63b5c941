import type { Reporter, TestCase, TestModule } from "vitest/node";
import { writeTable } from "../../scripts/agents-table.ts";
import { type Results, readResults, writeResults } from "./results.ts";

/** What a run has shown must be what is written; `UPDATE_TABLE=1` writes it anew. */
export default class ResultsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const seen = resultsOf(modules);
    if (seen === undefined) return;
    const known = readResults();
    const results = inOrder({ ...known, ...seen });
    const changed = differences(known, results);
    if (process.env.UPDATE_TABLE === "1") {
      writeResults(results);
      writeTable();
    } else if (changed.length > 0) {
      console.error("\nThe results are not those in results.json: look at them, then run with UPDATE_TABLE=1.");
      console.error(changed.join("\n"));
      process.exitCode = 1;
    }
  }
}

/** By agent, of those that were run. Nothing when a test failed or was left out: then there is no new truth. */
function resultsOf(modules: readonly TestModule[]): Results | undefined {
  const results: Results = {};
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const agent = agentOf(test);
      if (agent === undefined) continue;
      if (test.result().state !== "passed") return undefined;
      const { gap } = test.meta();
      (results[agent] ??= {})[test.name] = gap === undefined ? "pass" : { gap };
    }
  }
  return results;
}

/** `undefined` for a test of something else. In a sandbox or a container is somewhere else: the table is about the agents. */
function agentOf({ parent }: TestCase): string | undefined {
  return parent.type === "suite" && parent.parent.type === "module" && order.includes(parent.name)
    ? parent.name
    : undefined;
}

function differences(known: Results, seen: Results): string[] {
  return Object.entries(seen).flatMap(([agent, tests]) =>
    Object.keys({ ...known[agent], ...tests }).flatMap((name) => {
      const [before, after] = [known[agent]?.[name], tests[name]].map((one) => JSON.stringify(one) ?? "not there");
      return before === after ? [] : [`  ${agent}: ${name}: was ${before}, is ${after}`];
    }),
  );
}

const inOrder = (results: Results): Results =>
  Object.fromEntries(Object.entries(results).sort(([a], [b]) => rank(a) - rank(b)));

const order = ["claude", "codex", "gemini", "opencode", "claude-acp", "codex-acp", "demo"];
const rank = (agent: string) => order.indexOf(agent);
