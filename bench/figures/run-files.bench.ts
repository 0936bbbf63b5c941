import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatRunInfo } from "../../src/contract/runs/run.ts";
import { beginRun } from "../../src/core/runner/beginning/begin.ts";
import type { RunSpec } from "../../src/core/runner/run.ts";
import { openHome } from "../../src/core/store/home.ts";
import { readLastRecords } from "../../src/lib/files/journal-line.ts";
import type { Comparison } from "../measure/figure.ts";
import { demoSpec, temporary } from "../scenes/scene.ts";

/** Making a run on disk, against making the same folder and files with the same text in them, and nothing else. */
export function runFiles(): Comparison[] {
  const { folder } = temporary();
  const spec: RunSpec = demoSpec(folder, "hello");
  const { info, paths } = beginRun(spec);
  const claim = readFileSync(join(spec.home.hosts, `${info.run_id}.json`), "utf8");
  const started = readLastRecords(spec.home.ledger, 1).records[0]?.value;
  const posted = readFileSync(join(paths.dir, "../../TASK-MESSAGE-BUS.md"), "utf8");
  const home = openHome(join(folder, "bare"));
  const task = join(home.root, "projects/bench/bench");
  const handles = join(home.root, "handles");
  for (const path of [join(task, "runs"), handles]) mkdirSync(path, { recursive: true });
  let n = 0;
  return [
    {
      name: "run: made on disk, of a bare mkdir and the same files",
      headline: true,
      must: 1.6,
      aim: 1.3,
      rounds: 300,
      baseline() {
        n += 1;
        const run_id = info.run_id.slice(0, -4) + String(n).padStart(4, "0");
        const dir = join(task, "runs", run_id);
        const begin = performance.now();
        mkdirSync(dir);
        writeFileSync(join(home.hosts, `${run_id}.json`), claim);
        writeFileSync(join(handles, String(n)), run_id);
        for (const name of ["agent-stdout.txt", "agent-stderr.txt"]) writeFileSync(join(dir, name), "");
        writeFileSync(join(dir, "run-info.yaml"), formatRunInfo({ ...info, run_id }));
        writeFileSync(join(dir, "prompt.md"), "hello");
        appendFileSync(home.ledger, `\n${JSON.stringify({ ...started, run_id })}\n`);
        appendFileSync(join(task, "TASK-MESSAGE-BUS.md"), posted);
        return performance.now() - begin;
      },
      subject() {
        const begin = performance.now();
        beginRun(spec);
        return performance.now() - begin;
      },
    },
  ];
}
