import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { blankRunInfo } from "../../../contract/runs/run.ts";
import { openHome } from "../home.ts";
import { appendLedger, startRecord } from "./ledger.ts";
import { descendants, lineage } from "./lineage.ts";

function ledger(...runs: [id: string, parent: string][]) {
  const home = openHome(temporaryFolder());
  for (const [run_id, parent_run_id] of runs) {
    appendLedger(home, startRecord({ ...blankRunInfo, run_id, parent_run_id, project_id: "p", task_id: "t" }, ""));
  }
  return home;
}
const ids = (runs: Iterable<{ run_id: string }>) => [...runs].map(({ run_id }) => run_id);

const family = ledger(["a", ""], ["x", ""], ["b", "a"], ["c", "b"], ["y", "x"], ["d", "a"], ["lost", "nobody"]);

test("a run and those above it, nearest first", () => {
  expect(ids(lineage(family, "c"))).toEqual(["c", "b", "a"]);
  expect(ids(lineage(family, "lost"))).toEqual(["lost"]);
  expect(ids(lineage(family, "nobody"))).toEqual([]);
});

test("everything below a run, and nothing beside it", () => {
  expect(ids(descendants(family, "a"))).toEqual(["b", "c", "d"]);
  expect(ids(descendants(family, "x"))).toEqual(["y"]);
  expect(ids(descendants(family, "c"))).toEqual([]);
});
