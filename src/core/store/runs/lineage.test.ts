import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { blankRunInfo } from "../../../contract/runs/run.ts";
import { openHome } from "../home.ts";
import { appendLedger, startRecord } from "../ledger/ledger.ts";
import { descendants, lineage } from "./lineage.ts";

function ledger(...runs: [id: string, parent: string][]) {
  const home = openHome(temporaryFolder());
  for (const [name, parent] of runs) {
    const ids = { run_id: idOf(name), parent_run_id: parent && idOf(parent), project_id: "p", task_id: "t" };
    appendLedger(home, startRecord({ ...blankRunInfo, ...ids, start_time: "2026" }, ""));
  }
  return home;
}
/** For tests: a run's id by one letter. */
const idOf = (name: string) => `20260101-0000000000-0000001-${String(name.charCodeAt(0)).padStart(4, "0")}`;
const ids = (runs: Iterable<{ run_id: string }>) =>
  [...runs].map(({ run_id }) => String.fromCharCode(Number(run_id.slice(-4))));

const family = ledger(["a", ""], ["x", ""], ["b", "a"], ["c", "b"], ["y", "x"], ["d", "a"], ["l", "n"]);

test("a run and those above it, nearest first", () => {
  expect(ids(lineage(family, idOf("c")))).toEqual(["c", "b", "a"]);
  expect(ids(lineage(family, idOf("l")))).toEqual(["l"]);
  expect(ids(lineage(family, idOf("n")))).toEqual([]);
});

test("everything below a run, and nothing beside it", () => {
  expect(ids(descendants(family, idOf("a")))).toEqual(["b", "c", "d"]);
  expect(ids(descendants(family, idOf("x")))).toEqual(["y"]);
  expect(ids(descendants(family, idOf("c")))).toEqual([]);
});
