import { fork } from "node:child_process";
import { appendFileSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { formatRunInfo } from "../src/contract/runs/run.ts";
import type { RunSpec } from "../src/core/runner/run.ts";
import { BusWriter } from "../src/core/store/bus/bus.ts";
import { readMessages } from "../src/core/store/bus/bus-reader.ts";
import { openHome } from "../src/core/store/home.ts";
import { readLastRecords } from "../src/lib/files/journal-line.ts";
import type { Comparison } from "./compare.ts";
import { cox, cpuOf, demoSpec, temporary } from "./scene.ts";

const WRITERS = 16;
const MESSAGES = 2000;
const BODY = "x".repeat(300);

/** A writer process: as this module itself, told by its arguments which way to write. */
if (process.argv[2] === "bus-writer") {
  const [, , , how = "", path = ""] = process.argv;
  const write = how === "bare" ? bare(path) : ours(path);
  for (let i = 0; i < MESSAGES; i += 1) write(i);
  process.exit(0);
}

function bare(path: string) {
  const fd = openSync(path, "a");
  const time = new Date().toISOString();
  return (i: number) =>
    writeSync(fd, `\n${JSON.stringify({ id: `${process.pid}-${i}`, time, type: "INFO", body: BODY })}\n`);
}

function ours(path: string) {
  const writer = new BusWriter(path);
  return () => writer.post({ type: "INFO", project: "p", body: BODY }, Date.now());
}

export function bus(): Comparison[] {
  const { folder } = temporary();
  const env = { ...process.env, COX_HOME: join(folder, "home"), HOME: folder };
  let n = 0;
  const writeAll = async (how: string) => {
    n += 1;
    const path = join(folder, `${n}.jsonl`);
    const begin = performance.now();
    await Promise.all(
      Array.from({ length: WRITERS }, () => {
        const child = fork(process.argv[1] ?? "", ["bus-writer", how, path], { execArgv: process.execArgv });
        return new Promise((resolve) => child.on("exit", resolve));
      }),
    );
    return performance.now() - begin;
  };
  const small = filled(join(folder, "small.jsonl"), 1);
  const large = filled(join(folder, "large.jsonl"), 100);
  return [
    {
      name: "bus: 16 writers, of bare O_APPEND writes of the same JSON",
      figure: "rate",
      must: 0.7,
      aim: 0.95,
      rounds: 3,
      baseline: () => writeAll("bare"),
      subject: () => writeAll("ours"),
    },
    {
      name: "bus: following 100 MB, of following 1 MB",
      must: 1.2,
      aim: 1,
      rounds: 200,
      baseline: () => followed(small),
      subject: () => followed(large),
    },
    {
      name: "bus: `cox bus post`, of `node -e 0` (CPU)",
      must: 1.6,
      aim: 1.25,
      rounds: 5,
      baseline: () => cpuOf("node -e 0", 10, env),
      subject: () => cpuOf(`node ${cox} bus post --project p hello`, 10, env),
    },
  ];
}

/** A message is posted, and read from the cursor where the follower stood. */
function followed({ path, cursor, writer }: { path: string; cursor: string; writer: BusWriter }): number {
  writer.post({ type: "INFO", project: "p", body: "new" }, Date.now());
  const begin = performance.now();
  const { messages } = readMessages(path, { since: cursor });
  const took = performance.now() - begin;
  if (messages.length === 0) throw new Error("the message was not read");
  return took / messages.length;
}

function filled(path: string, megabytes: number) {
  const line = `\n${JSON.stringify({ id: "x", time: "2026", type: "INFO", body: BODY })}\n`;
  appendFileSync(path, line.repeat(Math.ceil((megabytes * 1024 * 1024) / line.length)));
  const { cursor } = readMessages(path, { limit: 1 });
  return { path, cursor, writer: new BusWriter(path) };
}

/** Making a run on disk, against making the same folder and files with the same text in them, and nothing else. */
export async function runFiles(): Promise<Comparison[]> {
  const { beginRun } = await import("../src/core/runner/begin.ts");
  const { folder } = temporary();
  const spec: RunSpec = demoSpec(folder, "hello");
  const { info, paths } = beginRun(spec);
  const claim = readFileSync(join(spec.home.hosts, `${info.run_id}.json`), "utf8");
  const [started, posted] = [spec.home.ledger, join(paths.dir, "../../bus.jsonl")].map(lastRecord);
  const home = openHome(join(folder, "bare"));
  const task = join(home.root, "projects/bench/bench");
  mkdirSync(join(task, "runs"), { recursive: true });
  let n = 0;
  return [
    {
      name: "run: made on disk, of a bare mkdir and the same files",
      must: 2,
      aim: 1.5,
      rounds: 300,
      baseline() {
        n += 1;
        const run_id = info.run_id.slice(0, -4) + String(n).padStart(4, "0");
        const dir = join(task, "runs", run_id);
        const begin = performance.now();
        mkdirSync(dir);
        writeFileSync(join(home.hosts, `${run_id}.json`), claim);
        writeFileSync(join(dir, "run-info.yaml"), formatRunInfo({ ...info, run_id }));
        writeFileSync(join(dir, "prompt.md"), "hello");
        appendFileSync(home.ledger, `\n${JSON.stringify({ ...started, run_id })}\n`);
        appendFileSync(join(task, "bus.jsonl"), `\n${JSON.stringify({ ...posted, run: run_id })}\n`);
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

const lastRecord = (path: string): object => readLastRecords(path, 1).records[0]?.value ?? {};
