import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { StartRun } from "../../../contract/runs/request.ts";
import { blankRunInfo, formatRunInfo, type RunInfo } from "../../../contract/runs/run.ts";
import { openHome, runFolder } from "../../../core/store/home.ts";
import { appendLedger, endRecord, startRecord } from "../../../core/store/ledger/ledger.ts";
import { runPaths } from "../../../core/store/runs/run-directory.ts";
import { readRunInfo, writeRunInfo } from "../../../core/store/runs/run-info.ts";
import { systemClock } from "../../../lib/base/clock.ts";
import { createLog } from "../../../lib/base/log.ts";
import { httpClient } from "../../../lib/client/http.ts";
import { allHandlers } from "../api/all-handlers.ts";
import type { ServerPorts } from "../ports.ts";
import { testServer } from "../test-server.ts";
import { Runs } from "./runs.ts";

const at = "2026-11-15T09:00:00.000Z";
const run_id = "20251231-2359590000-0000042-0001";
const own_id = "20251231-2359590000-0000042-0002";
const params = { run: run_id };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function scene() {
  const home = openHome(temporaryFolder());
  const started: string[] = [];
  const start: StartRun = ({ lineage }) => {
    started.push(lineage.fork ? "fork" : lineage.resume ? "resume" : "run");
    return Promise.resolve({ runId: own_id, handle: 1, project: "p", task: "t", agent: "demo", notices: [] });
  };
  const log = createLog({ sink: () => {}, level: "error", now: () => 0 });
  const terminals = { handlers: {}, upgrades: [] };
  const ports = { home, clock: systemClock, log, env: {}, start, terminals } as unknown as ServerPorts;
  const all = allHandlers(ports);
  const server = await testServer(all.handlers, { home });
  closing.push(all.close, server.close);
  const client = httpClient({ url: server.url, token: server.token });
  const bring = (fields: Partial<RunInfo> = {}, place: { project?: string; task?: string } = {}) => {
    const info = { ...ended, ...fields };
    const files = { "run-info.yaml": formatRunInfo(info), "events.jsonl": "" };
    const body = { run_id: info.run_id, project: "p", task: "t", title: "From afar", ...place, files };
    return client.call("POST /runs/import", { body });
  };
  return { home, client, started, bring };
}

const ended: RunInfo = {
  ...blankRunInfo,
  run_id,
  agent: "demo",
  status: "completed",
  exit_code: 0,
  start_time: at,
  end_time: at,
};

/** A folder with a file that only its owner should read. */
function secrets(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "shadow"), "root:secret", { mode: 0o600 });
  return folder;
}

describe("what an imported run says of itself", () => {
  test("is not believed where it would reach this machine", async () => {
    const { home, client, bring } = await scene();
    await bring({
      cwd: "/etc",
      permissions: "allow",
      on: "container",
      network: "off",
      profile: "boss",
      session_id: "s1",
      process_ownership: "managed",
      resumes: own_id,
      forked_from: own_id,
      previous_run_id: own_id,
      parent_run_id: own_id,
      pid: 1,
      pgid: 1,
      host_pid: 1,
      agent_start: "1",
      host_start: "1",
      handle: 7,
    });
    const info = readRunInfo(runPaths(runFolder(home, "p", "t", run_id)).info);
    if (info === undefined) throw new Error("it left no record");
    const { agent, status, exit_code, start_time, end_time } = ended;
    expect(info).toMatchObject({ handle: 1, agent, status, exit_code, start_time, end_time });
    const ours = [
      "run_id",
      "handle",
      "project_id",
      "task_id",
      "agent",
      "status",
      "exit_code",
      "start_time",
      "end_time",
    ];
    const paths = ["prompt_path", "output_path", "stdout_path", "stderr_path"];
    for (const [key, value] of Object.entries(info)) {
      if ([...ours, ...paths].includes(key)) continue;
      const blank = key === "process_ownership" ? "external" : blankRunInfo[key as keyof RunInfo];
      expect([key, value]).toEqual([key, blank]);
    }
    expect(paths.map((key) => info[key as keyof RunInfo])).toEqual(["", "", "", ""]); // no such file came with it
    expect((await client.call("GET /runs")).items).toMatchObject([{ handle: 1, cwd: "" }]);
    expect((await client.call("GET /projects")).items).toMatchObject([{ workspace: "" }]);
  });

  test.each([
    ["a negative cost", { cost_usd: -100 }],
    ["negative turns", { turns: -1 }],
  ])("may not be %s", async (_, fields) => {
    const { bring } = await scene();
    await expect(bring(fields)).rejects.toMatchObject({ code: "usage.invalid" });
  });

  test("neither is the workspace that a project had before", async () => {
    const { home, client, bring } = await scene();
    const own = { ...ended, run_id: own_id, project_id: "p", task_id: "mine", cwd: "/mine" };
    mkdirSync(runFolder(home, "p", "mine", own_id), { recursive: true });
    appendLedger(home, startRecord(own, "mine"));
    appendLedger(home, endRecord(own));
    await bring({ cwd: "/etc" });
    expect((await client.call("GET /projects")).items).toMatchObject([{ workspace: "/mine" }]);
  });
});

describe("nothing of this machine is reached through it", () => {
  const calls = {
    "GET /runs/{run}/workspace": {},
    "GET /runs/{run}/workspace/tree": { query: { path: "" } },
    "GET /runs/{run}/workspace/search": { query: { text: "shadow" } },
    "GET /runs/{run}/workspace/diff": {},
    "POST /runs/{run}/workspace/stage": { body: { paths: ["shadow"], staged: true } },
    "POST /runs/{run}/workspace/commit": { body: { message: "m", paths: ["shadow"] } },
    "POST /runs/{run}/workspace/discard": { body: { paths: ["shadow"] } },
    "GET /runs/{run}/workspace/checkpoints": {},
    "POST /runs/{run}/workspace/undo": { body: { to: 0 } },
    "POST /runs/{run}/workspace/merge": { body: {} },
    "POST /runs/{run}/workspace/pull-request": { body: { title: "t" } },
    "PUT /runs/{run}/review/marks": { body: { path: "shadow", hash: "a".repeat(64), reviewed: true } },
    "GET /runs/{run}/review/comments": {},
    "POST /runs/{run}/review/send": { body: { text: "more" } },
    "POST /runs/{run}/prompts": { body: { content: [{ type: "text", text: "go on" }] } },
    "POST /runs/{run}/fork": { body: { content: [{ type: "text", text: "go on" }] } },
  } as const;

  test.each(Object.entries(calls))("%s", async (key, given) => {
    const { home, client, started, bring } = await scene();
    await bring({ cwd: secrets(), session_id: "s1", permissions: "allow" });
    // As one that was imported when these were still taken over.
    const { info } = runPaths(runFolder(home, "p", "t", run_id));
    const record = readRunInfo(info);
    if (record === undefined) throw new Error("no record");
    writeRunInfo(info, { ...record, cwd: secrets(), session_id: "s1", permissions: "allow" });
    const refused = client.call(key as never, { params, ...given });
    await expect(refused).rejects.toMatchObject({ code: "run.imported" });
    expect(started).toEqual([]);
  });

  test("the file of a folder it names", async () => {
    const { client, bring } = await scene();
    await bring({ cwd: secrets() });
    const opened = client.open("GET /runs/{run}/workspace/file", { params, query: { path: "shadow" } });
    await expect(opened).rejects.toMatchObject({ code: "run.imported" });
  });

  test.each(["resume", "send-back"] as const)("its task by %s, which stays as it was", async (how) => {
    const { home, client, started, bring } = await scene();
    await bring({ cwd: "/etc", session_id: "s1", permissions: "allow" });
    const bus = readFileSync(join(home.root, "projects/p/t/TASK-MESSAGE-BUS.md"), "utf8");
    const task = { project: "p", task: "t" };
    const asked =
      how === "resume"
        ? client.call("POST /tasks/{project}/{task}/resume", { params: task, body: { prompt: "go on" } })
        : client.call("POST /tasks/{project}/{task}/send-back", { params: task, body: { text: "go on" } });
    await expect(asked).rejects.toMatchObject({ code: how === "resume" ? "run.imported" : expect.any(String) });
    expect(started).toEqual([]);
    expect(readFileSync(join(home.root, "projects/p/t/TASK-MESSAGE-BUS.md"), "utf8")).toBe(bus);
  });

  test("a person is told that it can't go on", async () => {
    const { client, bring } = await scene();
    await bring();
    const { resumable } = await client.call("GET /runs/{run}", { params });
    expect(resumable).toMatchObject({ ok: false, why: expect.stringContaining("imported") });
    expect(resumable).not.toHaveProperty("choices");
  });
});

describe("a run of our own", () => {
  /** Whose directory is there, and whose end nobody has written into the ledger. */
  async function withOwn() {
    const made = await scene();
    const own = { ...ended, run_id: own_id, project_id: "p", task_id: "mine", session_id: "mine" };
    const paths = runPaths(runFolder(made.home, "p", "mine", own_id));
    mkdirSync(paths.dir, { recursive: true });
    writeRunInfo(paths.info, own);
    writeFileSync(made.home.ledger, "");
    return { ...made, own, paths };
  }

  test("is neither replaced nor completed by an import of its name", async () => {
    const { home, bring, own, paths } = await withOwn();
    await expect(bring({ run_id: own_id, error_summary: "x" }, { task: "mine" })).rejects.toMatchObject({
      code: "run.exists",
    });
    expect(readRunInfo(paths.info)).toEqual(own);
    expect(new Runs(home).index.get(own_id)).toBeUndefined();
  });

  test("is not gone on with by one that says so", async () => {
    const { home, bring, own } = await withOwn();
    appendLedger(home, startRecord(own, "mine"));
    appendLedger(home, endRecord(own));
    await bring({ resumes: own_id, previous_run_id: own_id, parent_run_id: own_id });
    const runs = new Runs(home);
    expect(runs.latest(own_id).info.run_id).toBe(own_id);
    expect(runs.index.childrenOf(own_id)).toEqual([]);
  });

  test("keeps its task to itself: no import ends it, or is taken for its last run", async () => {
    const { home, bring } = await withOwn();
    await expect(bring({}, { task: "mine" })).rejects.toMatchObject({ code: "task.exists" });
    mkdirSync(join(home.root, "projects/p/planned"), { recursive: true });
    writeFileSync(join(home.root, "projects/p/planned/task.yaml"), "version: 1\n");
    await expect(bring({}, { task: "planned" })).rejects.toMatchObject({ code: "task.exists" });
  });

  test("whose directory was moved away leaves its name to nobody", async () => {
    const { home, bring } = await scene();
    const own = { ...ended, run_id: own_id, project_id: "p", task_id: "t" };
    appendLedger(home, startRecord(own, "mine"));
    appendLedger(home, endRecord(own));
    await expect(bring({ run_id: own_id })).rejects.toMatchObject({ code: "run.exists" });
  });
});
