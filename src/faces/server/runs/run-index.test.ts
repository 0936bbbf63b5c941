import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { LedgerEnd, LedgerStart } from "../../../contract/runs/run.ts";
import { openHome } from "../../../core/store/home.ts";
import { appendLedger } from "../../../core/store/ledger/ledger.ts";
import { RunIndex } from "./run-index.ts";

const idOf = (n: number) => `20260101-000000000${n}-0000001-0001`;
const start = (n: number, project: string, cwd: string): LedgerStart => ({
  type: "start",
  run_id: idOf(n),
  project,
  task: "t",
  agent: "demo",
  at: "2026-01-01T00:00:00Z",
  cwd,
  title: "",
});
const end = (n: number, cost_usd: number): LedgerEnd => ({
  type: "end",
  run_id: idOf(n),
  at: "2026-01-01T00:00:01Z",
  status: "completed",
  reason: "",
  exit_code: 0,
  cost_usd,
  tokens: 0,
  turns: 1,
});

test("figures of projects grow with the ledger: one end counts, deleted runs too, the latest folder stands", () => {
  const home = openHome(temporaryFolder());
  const index = new RunIndex(home);
  expect([...index.projects()]).toEqual([]);
  for (const record of [start(1, "a", "/one"), end(1, 2), end(1, 5), start(2, "b", "/b")]) appendLedger(home, record);
  expect(Object.fromEntries(index.projects())).toEqual({
    a: { costUsd: 2, cwd: "/one" },
    b: { costUsd: 0, cwd: "/b" },
  });
  appendLedger(home, { type: "gone", run_id: idOf(1), at: "" });
  for (const record of [start(3, "a", "/two"), end(3, 1)]) appendLedger(home, record);
  expect(index.projects().get("a")).toEqual({ costUsd: 3, cwd: "/two" });
});
