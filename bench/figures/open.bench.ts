import { closeSync, ftruncateSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { blankRunInfo, formatRunInfo } from "../../src/contract/runs/run.ts";
import { openHome } from "../../src/core/store/home.ts";
import { appendLedger, endRecord, startRecord } from "../../src/core/store/ledger/ledger.ts";
import { createRunDirectory } from "../../src/core/store/runs/run-directory.ts";
import type { Comparison } from "../measure/figure.ts";
import { cox, cpuOf, temporary } from "../scenes/scene.ts";

/** Opening a run costs the same however much its agent printed. */
export function open(): Comparison[] {
  const { folder } = temporary();
  const env = { ...process.env, COX_HOME: folder };
  const small = finishedRun(folder, 1);
  const large = finishedRun(folder, 256);
  return [
    {
      name: "open: `cox show` of 256 MB of stdout, of 1 MB (CPU)",
      must: 1.5,
      aim: 1.1,
      rounds: 5,
      baseline: () => cpuOf(`node ${cox} show ${small}`, 5, env),
      subject: () => cpuOf(`node ${cox} show ${large}`, 5, env),
    },
  ];
}

function finishedRun(folder: string, megabytes: number): string {
  const home = openHome(folder);
  const host = { pid: process.pid, start: "", boot: "", namespace: "elsewhere" };
  const { runId, paths } = createRunDirectory(home, { project: "p", task: "t" }, host);
  const at = "2026-01-01T00:00:00.000Z";
  const ids = { run_id: runId, project_id: "p", task_id: "t", agent: "demo", start_time: at, end_time: at };
  const info = { ...blankRunInfo, ...ids, status: "completed" as const, exit_code: 0 };
  writeFileSync(paths.info, formatRunInfo(info));
  writeFileSync(paths.events, `\n{"seq":1,"at":"${at}","type":"session_status","status":"closed","reason":"done"}\n`);
  const fd = openSync(paths.stdout, "w");
  ftruncateSync(fd, megabytes * 1024 * 1024);
  closeSync(fd);
  writeFileSync(join(paths.dir, "output.md"), "done\n");
  appendLedger(home, startRecord(info, "bench"));
  appendLedger(home, endRecord(info));
  return runId;
}
