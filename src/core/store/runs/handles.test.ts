import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { blankRunInfo } from "../../../contract/runs/run.ts";
import { type Home, openHome } from "../home.ts";
import { appendLedger, startRecord } from "../ledger/ledger.ts";
import { giveHandle, runOfHandle } from "./handles.ts";

const id = (n: number) => `20260101-0000000000-0000001-${String(n).padStart(4, "0")}`;
const freshHome = () => openHome(temporaryFolder());
const start = (home: Home, run_id: string, handle: number) =>
  appendLedger(
    home,
    startRecord({ ...blankRunInfo, run_id, handle, project_id: "p", task_id: "t", start_time: "2026" }, ""),
  );

describe("a run's number", () => {
  test("goes upward from 1, and leads back to the run", () => {
    const home = freshHome();
    expect([1, 2, 3].map((n) => giveHandle(home, id(n)))).toEqual([1, 2, 3]);
    expect(runOfHandle(home, 2)).toBe(id(2));
    expect(runOfHandle(home, 4)).toBe(undefined);
    expect(readdirSync(join(home.root, "handles")).sort()).toEqual(["1", "2", "3"]);
  });

  test.each([
    ["the newest in the ledger", [7], [], 8],
    ["runs that reached the ledger in another order", [8, 7], [8], 9],
    ["runs that have not reached it yet", [7], [8, 9], 10],
    ["a run that never began leaves a gap", [7], [9], 8],
    ["runs of an early version have none", [0, 0], [], 1],
  ])("begins after %s", (_, inLedger, taken, expected) => {
    const home = freshHome();
    for (const [index, handle] of inLedger.entries()) start(home, id(index), handle);
    for (const n of taken) writeFileSync(join(home.root, "handles", String(n)), id(n));
    expect(giveHandle(home, id(100))).toBe(expected);
  });

  test("isn't looked for further back than the newest one", () => {
    const home = freshHome();
    start(home, id(1), 500);
    start(home, id(2), 3);
    start(home, id(3), 0);
    expect(giveHandle(home, id(4))).toBe(4);
  });

  test("a file that can't be one of ours leads nowhere", () => {
    const home = freshHome();
    giveHandle(home, id(1));
    writeFileSync(join(home.root, "handles", "1"), "../../elsewhere");
    writeFileSync(join(home.root, "handles", "2"), "");
    expect([1, 2].map((n) => runOfHandle(home, n))).toEqual([undefined, undefined]);
  });
});
