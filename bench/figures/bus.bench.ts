import { fork } from "node:child_process";
import { appendFileSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { BusWriter } from "../../src/core/store/bus/bus.ts";
import { readMessages } from "../../src/core/store/bus/bus-reader.ts";
import type { Comparison } from "../measure/figure.ts";
import { temporary } from "../scenes/scene.ts";

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
    writeSync(
      fd,
      `\n---\n${JSON.stringify({ msg_id: `${process.pid}-${i}`, ts: time, type: "INFO" })}\n---\n${BODY}\n`,
    );
}

function ours(path: string) {
  const writer = new BusWriter(path);
  return () => writer.post({ type: "INFO", project: "p", body: BODY }, Date.now());
}

export function bus(): Comparison[] {
  const { folder } = temporary();
  let n = 0;
  const writeAll = async (how: string) => {
    n += 1;
    const path = join(folder, `${n}.md`);
    const begin = performance.now();
    await Promise.all(
      Array.from({ length: WRITERS }, () => {
        const child = fork(process.argv[1] ?? "", ["bus-writer", how, path], { execArgv: process.execArgv });
        return new Promise((resolve) => child.on("exit", resolve));
      }),
    );
    return performance.now() - begin;
  };
  const small = filled(join(folder, "small.md"), 1);
  const large = filled(join(folder, "large.md"), 100);
  return [
    {
      name: "bus: 16 writers, of bare O_APPEND writes of the same text",
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
  const writer = new BusWriter(path);
  writer.post({ type: "INFO", project: "p", body: BODY }, 0);
  const record = readFileSync(path, "utf8");
  appendFileSync(path, record.repeat(Math.ceil((megabytes * 1024 * 1024) / record.length)));
  const { cursor } = readMessages(path, { limit: 1 });
  return { path, cursor, writer };
}
