import { AppError } from "../../../../contract/errors.ts";
import { readConfig } from "../../../../core/config/config-file.ts";
import { startFrom } from "../../../../core/launch/detach.ts";
import { attribution } from "../../../../core/runs/run-access.ts";
import { type Home, homePath, openHome } from "../../../../core/store/home.ts";
import { nameOfRun } from "../../../../core/store/runs/find-run.ts";
import { taskName } from "../../../../core/store/task-file.ts";
import { launcher } from "../../../../core/tasks/launch.ts";
import { type QueueNews, workQueue } from "../../../../core/tasks/queue/queue-worker.ts";
import type { Context } from "../../../../lib/command/command.ts";
import { oneLine, printableJson } from "../../../../lib/text/printable.ts";

export interface WorkValues {
  "max-concurrent"?: string;
  once?: boolean;
  json?: boolean;
}

const MAX_CONCURRENT = 2;

export async function workUntilInterrupted(values: WorkValues, context: Context): Promise<number> {
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  try {
    return await work(values, context, stop.signal);
  } finally {
    process.off("SIGINT", end);
    process.off("SIGTERM", end);
  }
}

async function work(values: WorkValues, context: Context, signal: AbortSignal): Promise<number> {
  const home = openHome(homePath(context.env));
  const maxConcurrent =
    limitOf(values["max-concurrent"]) ?? (await readConfig(home.root)).max_concurrent ?? MAX_CONCURRENT;
  let failed = false;
  await workQueue(home, {
    by: `${attribution()} queue`,
    clock: context.clock,
    limits: { maxConcurrent },
    launch: launcher(startFrom(context.env)),
    signal,
    once: values.once === true,
    report(news) {
      failed ||= news.what === "failed" || (news.what === "ended" && news.state === "failed");
      context.stdout.write(values.json ? `${printableJson(news)}\n` : lineOf(home, news));
    },
  });
  return values.once && failed ? 1 : 0;
}

function lineOf(home: Home, news: QueueNews): string {
  const task = taskName(news);
  switch (news.what) {
    case "started":
      return `${task} started: ${nameOfRun(home, news.runId)}\n`;
    case "ended":
      return `${task} ended: ${news.state}\n`;
    default:
      return `${task} ${news.what}: ${oneLine(news.reason)}\n`;
  }
}

function limitOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new AppError("usage.invalid", `cox queue run: --max-concurrent ${JSON.stringify(text)}: not a number above 0`);
}
