import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { isRunId } from "../../../contract/ids.ts";
import { openHome } from "../home.ts";
import { readClaims } from "./claims.ts";
import { createRunDirectory, nextRunId } from "./run-directory.ts";

const host = { pid: process.pid, start: "1", boot: "b", namespace: "n" };

describe("run ids", () => {
  test("carry tenths of a millisecond, the process and a counter, padded", () => {
    const id = nextRunId(Date.parse("2026-02-05T15:04:05.123Z") + 0.45, 123);
    expect(id).toMatch(/^20260205-1504051234-0000123-\d{4,}$/);
    expect(isRunId(id)).toBe(true);
  });

  test("sort by time whatever the width of the process number", () => {
    const early = nextRunId(Date.parse("2026-01-01T00:00:00.000Z"), 9_999_999);
    const late = nextRunId(Date.parse("2026-01-01T00:00:00.001Z"), 1);
    expect([late, early].sort()).toEqual([early, late]);
  });

  test("never repeat within a process, not even in the same tenth", () => {
    const now = Date.now();
    const ids = Array.from({ length: 1000 }, () => nextRunId(now, 7));
    expect(new Set(ids).size).toBe(1000);
  });
});

test("a run's directory is claimed before it is made, and private", () => {
  const home = openHome(temporaryFolder());
  const { runId, paths } = createRunDirectory(home, { project: "p", task: "t" }, host);
  expect(readClaims(home)).toMatchObject([{ runId, claim: { pid: process.pid, dir: paths.dir } }]);
});
