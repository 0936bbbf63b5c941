import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { blankRunInfo, type RunInfo } from "../../src/contract/runs/run.ts";
import { BusWriter, busPath } from "../../src/core/store/bus/bus.ts";
import { type Home, openHome, runFolder } from "../../src/core/store/home.ts";
import { endRecord, startRecord } from "../../src/core/store/ledger/ledger.ts";
import { runPaths } from "../../src/core/store/runs/run-directory.ts";
import { writeRunInfo } from "../../src/core/store/runs/run-info.ts";

export interface History {
  home: Home;
  /** The newest run. */
  newest: string;
}

const WHOLE = 50;

/** A home after this many runs, each of a task of its own with one message on its bus. Only the newest have their directories. */
export function historyOf(folder: string, count: number): History {
  const home = openHome(folder);
  const infos = Array.from({ length: count }, (_, n) => infoOf(n));
  const lines = infos.flatMap((info) => [startRecord(info, "a run with a title as people give them"), endRecord(info)]);
  appendFileSync(home.ledger, lines.map((line) => `\n${JSON.stringify(line)}\n`).join(""), { mode: 0o600 });
  const message = aMessage(folder);
  for (const { project_id, task_id } of infos) {
    const bus = busPath(home, project_id, task_id);
    mkdirSync(dirname(bus), { recursive: true });
    writeFileSync(bus, message);
  }
  for (const info of infos.slice(-WHOLE)) {
    const {
      dir,
      info: infoPath,
      events,
      output,
    } = runPaths(runFolder(home, info.project_id, info.task_id, info.run_id));
    mkdirSync(dir, { recursive: true });
    writeRunInfo(infoPath, info);
    writeFileSync(events, `\n{"seq":1,"at":"${at}","type":"session_status","status":"closed","reason":"done"}\n`);
    writeFileSync(output, "done\n");
    writeFileSync(join(home.handles, String(info.handle)), info.run_id);
  }
  return { home, newest: infos.at(-1)?.run_id ?? "" };
}

const at = "2026-01-01T00:00:00.000Z";

function infoOf(n: number): RunInfo {
  return {
    ...blankRunInfo,
    run_id: `20260101-0900000000-0000001-${String(n).padStart(6, "0")}`,
    handle: n + 1,
    project_id: "p",
    task_id: `t${n}`,
    agent: "demo",
    start_time: at,
    end_time: at,
    status: "completed",
    exit_code: 0,
    turns: 1,
  };
}

function aMessage(folder: string): Buffer {
  const path = join(folder, "message");
  new BusWriter(path).post({ type: "INFO", project: "p", body: "done" }, Date.parse(at));
  return readFileSync(path);
}
