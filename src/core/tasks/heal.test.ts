import { spawn } from "node:child_process";
import { existsSync, readFileSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { blankRunInfo } from "../../contract/runs/run.ts";
import { systemClock } from "../../lib/base/clock.ts";
import type { Holder } from "../../lib/files/holding/holder.ts";
import { parseJournal } from "../../lib/files/journal-line.ts";
import { bootId, pidNamespace, startTimeOf } from "../../lib/process/holders/identity.ts";
import { EventLog } from "../store/events/event-log.ts";
import { openHome } from "../store/home.ts";
import { appendLedger, runsBackward, startRecord } from "../store/ledger/ledger.ts";
import { readClaims, takeOver } from "../store/runs/claims.ts";
import { createRunDirectory } from "../store/runs/run-directory.ts";
import { readRunInfo, writeRunInfo } from "../store/runs/run-info.ts";
import { liveDescendants } from "./children.ts";
import { heal } from "./heal.ts";

const here = { boot: bootId(), namespace: pidNamespace() };
const dead: Holder = { pid: 2 ** 22 - 3, start: "1", ...here };
const alive: Holder = { pid: process.pid, start: startTimeOf(process.pid) ?? "", ...here };

/** A run of that host, in the middle of a turn. */
function running(host: Holder, home = openHome(temporaryFolder()), parent_run_id = "") {
  const { runId, paths } = createRunDirectory(home, { project: "p", task: "t" }, host);
  const ids = { run_id: runId, project_id: "p", task_id: "t", agent: "demo", parent_run_id };
  const info = { ...blankRunInfo, ...ids, start_time: "2026-01-01T00:00:00.000Z" };
  writeRunInfo(paths.info, info);
  appendLedger(home, startRecord(info, "x"));
  const log = new EventLog(paths.events);
  log.append(
    [
      { type: "turn_started", turn: "t1" },
      { type: "message_chunk", messageId: "m", text: "half a sen" },
    ],
    "2026",
  );
  log.close();
  return { home, runId, paths };
}

describe("heal", () => {
  test("completes the record of a lost run: once, however often it is asked", async () => {
    const { home, runId, paths } = running(dead);
    expect(await heal(home, systemClock)).toEqual([runId]);
    expect(await heal(home, systemClock)).toEqual([]);
    expect(readRunInfo(paths.info)).toMatchObject({ status: "failed", reason: "host_lost" });
    expect([...runsBackward(home)]).toMatchObject([{ end: { status: "failed", reason: "host_lost" } }]);
    const types = parseJournal(readFileSync(paths.events)).records.map(({ value }) => value.type);
    expect(types).toEqual(["turn_started", "message_chunk", "complete", "session_status"]);
    expect(readFileSync(paths.output, "utf8")).toBe("half a sen\n");
  });

  test("one that can't be completed keeps nobody from the others, is told, and is tried again", async () => {
    const { home, runId, paths } = running(dead);
    const other = running(dead, home);
    renameSync(paths.events, `${paths.events}.moved`);
    symlinkSync("/dev/full", paths.events);
    const told: string[] = [];
    expect(await heal(home, systemClock, (run) => told.push(run))).toEqual([other.runId]);
    expect([told, readRunInfo(paths.info)?.status]).toEqual([[runId], "running"]);
    await expect(heal(home, systemClock)).rejects.toThrow(paths.events);
    renameSync(`${paths.events}.moved`, paths.events);
    expect(await heal(home, systemClock)).toEqual([runId]);
  });

  test.each([
    ["a live host", alive],
    ["a host in another container", { ...dead, namespace: "pid:[1]" }],
  ])("leaves %s alone", async (_, host) => {
    const { home, paths } = running(host);
    expect(await heal(home, systemClock)).toEqual([]);
    expect(readRunInfo(paths.info)?.status).toBe("running");
  });

  test("a run of an earlier boot is lost, whoever has its number now", async () => {
    const { home, runId } = running({ ...alive, boot: "another" });
    expect(await heal(home, systemClock)).toEqual([runId]);
  });

  test("a number that passed to another process is no host", async () => {
    const { home, runId } = running({ ...alive, start: "1" });
    expect(await heal(home, systemClock)).toEqual([runId]);
  });

  test("takes up what a dead healer left; a live one's is left alone", async () => {
    const { home, runId } = running(dead);
    const [claim] = readClaims(home);
    if (claim === undefined) throw new Error("no claim");
    takeOver(claim, alive);
    expect(await heal(home, systemClock)).toEqual([]);
    const [mine] = readClaims(home);
    if (mine === undefined) throw new Error("no claim");
    takeOver(mine, dead);
    expect(await heal(home, systemClock)).toEqual([runId]);
  });

  test.each([
    ["a dead healer", dead, true],
    ["a live healer", alive, false],
  ])("a claim that %s of an earlier version took", async (_, healer, healed) => {
    const { home, runId } = running(dead);
    const file = join(home.hosts, `${runId}.json`);
    renameSync(file, `${file}.${healer.pid}-${Buffer.from(healer.start).toString("base64url")}`);
    expect(await heal(home, systemClock)).toEqual(healed ? [runId] : []);
  });

  test("a healer that lives keeps what was lost before this boot", async () => {
    const { home } = running({ ...dead, boot: "another" });
    const [claim] = readClaims(home);
    if (claim === undefined) throw new Error("no claim");
    takeOver(claim, alive);
    expect(await heal(home, systemClock)).toEqual([]);
  });

  test("ends what the run left running, and nothing else", async () => {
    const { home, runId } = running(dead);
    const start = (id: string) => spawn("sleep", ["1000"], { env: { ...process.env, COX_RUN_ID: id }, detached: true });
    const [left, other] = [start(runId), start("another")];
    const gone = new Promise((resolve) => left.on("exit", resolve));
    await heal(home, systemClock);
    await gone;
    expect(other.exitCode).toBe(null);
    other.kill();
  });

  test("a damaged claim goes, once nobody can be writing it any more", async () => {
    const { home, paths, runId } = running(dead);
    const file = `${home.hosts}/${runId}.json`;
    writeFileSync(file, "");
    await heal(home, systemClock);
    expect(existsSync(file)).toBe(true);
    const earlier = Date.now() / 1000 - 60;
    utimesSync(file, earlier, earlier);
    await heal(home, systemClock);
    expect(existsSync(file)).toBe(false);
    expect(readClaims(home)).toEqual([]);
    expect(existsSync(paths.info)).toBe(true);
  });
});

test("live descendants are found at any depth, in any task; the dead are none", () => {
  const parent = running(alive);
  const child = running(alive, parent.home, parent.runId);
  const grandchild = running(alive, parent.home, child.runId);
  running(alive, parent.home, "somebody else's");
  expect(liveDescendants(parent.home, parent.runId).map((info) => info.run_id)).toEqual([
    child.runId,
    grandchild.runId,
  ]);
});
