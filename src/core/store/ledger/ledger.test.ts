import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { blankRunInfo, type RunInfo } from "../../../contract/runs/run.ts";
import { openHome, runFolder } from "../home.ts";
import { claimRun } from "../runs/claims.ts";
import { findRun } from "../runs/find-run.ts";
import { giveHandle } from "../runs/handles.ts";
import { runPaths } from "../runs/run-directory.ts";
import { writeRunInfo } from "../runs/run-info.ts";
import { appendLedger, endRecord, ledgerNotice, recordsOf, runsBackward, startRecord } from "./ledger.ts";

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
    appendLedger(home, endRecord({ ...info(id(1)), status: "completed", end_time: "2026-01-01T00:01:00.000Z" }));
    appendFileSync(home.ledger, '\n{"type":"start","run_id":"torn');
    appendLedger(home, startRecord(info(id(3)), ""));
    const runs = [...runsBackward(home)];
    expect(runs.map((run) => run.run_id)).toEqual([id(3), id(2), id(1)]);
    expect(runs.map((run) => run.end?.status)).toEqual([undefined, undefined, "completed"]);
  });

  const start = { type: "start", run_id: id(9), at: "2026", project: "p", task: "t", agent: "a", cwd: "/", title: "" };
  const end = {
    type: "end",
    run_id: id(1),
    at: "2026",
    status: "failed",
    reason: "",
    exit_code: 1,
    cost_usd: 0,
    tokens: 0,
  };
  test.each([
    { type: "start" },
    { type: "start", run_id: id(9), at: "2026" },
    { ...start, run_id: "x" },
    { ...start, at: "yesterday" },
    { ...start, project: "../.." },
    { ...start, task: 7 },
    { ...start, title: undefined },
    { ...start, handle: "r1" },
    { ...start, previous: {} },
    { ...end },
    { ...end, turns: "1" },
    { ...end, turns: 1, status: "running" },
    { ...end, turns: 1, at: "" },
    { type: "gone", run_id: id(1) },
    { type: "news", run_id: id(1), at: "2026" },
  ])("a line that is none of ours costs itself, and is counted: %j", (line) => {
    const home = ledger(id(1), id(2));
    appendFileSync(home.ledger, `${JSON.stringify(line)}\n`);
    expect(ledgerNotice(home)).toBeUndefined();
    for (let twice = 0; twice < 2; twice += 1) {
      expect([...runsBackward(home)].map(({ run_id, end }) => [run_id, end])).toEqual([
        [id(2), undefined],
        [id(1), undefined],
      ]);
    }
    expect(ledgerNotice(home)).toContain("passed over 1 damaged line; `cox doctor --repair`");
  });

  describe("that is not there", () => {
    const withRun = () => {
      const home = ledger();
      const paths = runPaths(runFolder(home, "p", "t", id(1)));
      mkdirSync(paths.dir, { recursive: true });
      writeRunInfo(paths.info, info(id(1)));
      return home;
    };

    test("is nothing to worry about before the first run, and while that begins", () => {
      const home = ledger();
      expect([...runsBackward(home)]).toEqual([]);
      const begun = withRun();
      claimRun(begun, id(1), { pid: 1, start: "", boot: "", namespace: "", dir: "" });
      expect([...runsBackward(begun)]).toEqual([]);
      appendLedger(begun, startRecord(info(id(1)), ""));
      expect([...runsBackward(begun)].length).toBe(1);
    });

    test("is an error where there are runs: nobody begins another one over them", () => {
      const home = withRun();
      const why = "the list of runs is missing, and there are runs; `cox doctor --repair`";
      expect(() => [...runsBackward(home)]).toThrow(why);
      expect(() => appendLedger(home, startRecord(info(id(2)), ""))).toThrow(why);
      expect(() => giveHandle(home, id(2))).toThrow(why);
      appendLedger(home, { type: "gone", run_id: id(1), at: "2026" });
      expect(existsSync(home.ledger)).toBe(false);
    });

    test.each([
      ["a folder", (path: string) => mkdirSync(path)],
      ["a link", (path: string) => symlinkSync("/dev/null", path)],
      ["no regular file", (path: string) => void execFileSync("mkfifo", [path])],
    ])("because %s is in its place, is an error", (what, make) => {
      const home = ledger();
      make(home.ledger);
      expect(() => [...runsBackward(home)]).toThrow(`${what} is in the place of the list of runs; \`cox doctor`);
      expect(() => appendLedger(home, startRecord(info(id(1)), ""))).toThrow(what);
    });
  });

  test("the first of two ends stands", () => {
    const home = ledger(id(1));
    appendLedger(home, endRecord({ ...info(id(1)), end_time: "2026", status: "failed", reason: "host_lost" }));
    appendLedger(home, endRecord({ ...info(id(1)), end_time: "2026", status: "completed" }));
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
  const others = [
    [id(21), "web", "fix-login"],
    [id(22), "web", "fix-login"],
    [id(23), "api", "fix-login"],
    [id(24), "web", "0012"],
    [id(25), "old", "r3"],
    [id(26), "web", "tidy"],
  ] as const;
  for (const [run_id, project_id, task_id] of others) {
    mkdirSync(runFolder(home, project_id, task_id, run_id), { recursive: true });
    const handle = giveHandle(home, run_id);
    appendLedger(home, startRecord({ ...info(run_id), handle, project_id, task_id }, ""));
  }
  mkdirSync(runFolder(home, "web", "planned", id(1)), { recursive: true });
  appendLedger(home, { type: "gone", run_id: id(26), at: "2026" });

  test.each([
    ["the whole id", id(2), id(2)],
    ["latest", "latest", id(25)],
    ["a unique end", "0001-0002", id(2)],
    ["a unique beginning", id(12).slice(0, 19), id(12)],
    ["its number", "r3", id(23)],
    ["its task, the newest run of it", "web/fix-login", id(22)],
    ["a task that is called like the end of an id", "0012", id(24)],
    ["the beginning of a task", "r", id(25)],
    ["a task from before runs had numbers", "old/r3", id(25)],
  ])("by %s", (_, name, expected) => {
    expect(findRun(home, name).run_id).toBe(expected);
  });

  test.each([
    ["nothing fits", "zzz", "run zzz: there is no such run or task"],
    ["no run has the number", "r99", "run r99: there is no such run"],
    ["the run of that number was deleted", "r6", "run r6: there is no such run"],
    ["several fit", "2026", "fits 8 runs (r5, r4, r3, r2, r1, …)"],
    ["a task of several projects", "fix-login", "fits api/fix-login, web/fix-login; give project/task"],
    ["a task without a run", "planned", "task web/planned: has no run yet"],
    ["an empty name", "", "there is no such run"],
    ["a path", "../../etc", "there is no such run"],
  ])("%s", (_, name, message) => {
    expect(() => findRun(home, name)).toThrow(message);
  });
});
