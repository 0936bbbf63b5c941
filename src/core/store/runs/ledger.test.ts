import { appendFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { blankRunInfo, type RunInfo } from "../../../contract/runs/run.ts";
import { openHome } from "../home.ts";
import { findRun } from "./find-run.ts";
import { appendLedger, endRecord, recordsOf, runsBackward, startRecord } from "./ledger.ts";

const info = (run_id: string): RunInfo => ({
  ...blankRunInfo,
  run_id,
  project_id: "p",
  task_id: "t",
  agent: "demo",
  start_time: "2026-01-01T00:00:00.000Z",
});
const id = (n: number) => `20260101-00000000${String(n).padStart(2, "0")}-0000001-00${String(n).padStart(2, "0")}`;

function ledger(...ids: string[]) {
  const home = openHome(temporaryFolder());
  for (const run of ids) appendLedger(home, startRecord(info(run), `title of ${run}`));
  return home;
}

describe("the ledger", () => {
  test("newest first, ends beside their starts, damage costs itself", () => {
    const home = ledger(id(1), id(2));
    appendLedger(home, endRecord({ ...info(id(1)), status: "completed", end_time: "x" }));
    appendFileSync(home.ledger, '\n{"type":"start","run_id":"torn');
    appendLedger(home, startRecord(info(id(3)), ""));
    const runs = [...runsBackward(home)];
    expect(runs.map((run) => run.run_id)).toEqual([id(3), id(2), id(1)]);
    expect(runs.map((run) => run.end?.status)).toEqual([undefined, undefined, "completed"]);
  });

  test("the first of two ends stands", () => {
    const home = ledger(id(1));
    appendLedger(home, endRecord({ ...info(id(1)), status: "failed", reason: "host_lost" }));
    appendLedger(home, endRecord({ ...info(id(1)), status: "completed" }));
    expect([...runsBackward(home)][0]?.end).toMatchObject({ status: "failed", reason: "host_lost" });
  });

  test("knows what it has of a run", () => {
    const home = ledger(id(1));
    expect(recordsOf(home, id(1))).toEqual({ start: true, end: false });
    expect(recordsOf(home, id(9))).toEqual({ start: false, end: false });
  });
});

describe("findRun", () => {
  const home = ledger(id(1), id(2), id(12));

  test.each([
    ["the whole id", id(2), id(2)],
    ["latest", "latest", id(12)],
    ["a unique end", "0001-0002", id(2)],
    ["a unique beginning", id(12).slice(0, 19), id(12)],
  ])("by %s", (_, name, expected) => {
    expect(findRun(home, name).run_id).toBe(expected);
  });

  test.each([
    ["nothing fits", "zzz", "there is no such run"],
    ["several fit", "2026", "fits 3 runs"],
    ["an empty name", "", "there is no such run"],
  ])("%s", (_, name, message) => {
    expect(() => findRun(home, name)).toThrow(message);
  });
});
