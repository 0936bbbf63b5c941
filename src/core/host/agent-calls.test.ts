import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { ChildLimits, GivenTo } from "../../contract/agent-socket.ts";
import { AppError } from "../../contract/errors.ts";
import type { Question } from "../../contract/events.ts";
import { blankRunInfo, type RunInfo } from "../../contract/runs/run.ts";
import { appendMessage, busPath } from "../store/bus/bus.ts";
import { readMessages } from "../store/bus/bus-reader.ts";
import { postRunStart } from "../store/bus/lifecycle.ts";
import { openHome, runFolder } from "../store/home.ts";
import { appendLedger, endRecord, startRecord } from "../store/ledger/ledger.ts";
import { runPaths } from "../store/runs/run-directory.ts";
import { writeRunInfo } from "../store/runs/run-info.ts";
import { createTaskFile } from "../store/task-file.ts";
import { agentCalls } from "./agent-calls.ts";

const never = new AbortController().signal;
const own = { project: "web", task: "fix" };

/** A home with runs made by hand; this run is `me`, in task web/fix. */
function scene({
  limits = { depth: 5, live: 20, total: 100 },
  above = 0,
}: {
  limits?: ChildLimits;
  above?: number;
} = {}) {
  const home = openHome(temporaryFolder());
  const clock = new FakeClock();
  let count = 0;

  const addRun = (parent = "", facts: Partial<RunInfo> = {}, task = own.task): string => {
    count += 1;
    const run_id = `20260101-0000000000-0000001-${String(count).padStart(4, "0")}`;
    const info: RunInfo = {
      ...blankRunInfo,
      run_id,
      project_id: own.project,
      task_id: task,
      parent_run_id: parent,
      start_time: "2026",
      ...facts,
    };
    const paths = runPaths(runFolder(home, own.project, task, run_id));
    mkdirSync(paths.dir, { recursive: true });
    writeRunInfo(paths.info, info);
    appendLedger(home, startRecord(info, ""));
    postRunStart(home, info, { review: false, resumed: false, title: "a title" }, clock.now());
    return run_id;
  };
  const pathsOf = (runId: string, task = own.task) => runPaths(runFolder(home, own.project, task, runId));
  const end = (run_id: string, facts: Partial<RunInfo> = {}, task = own.task): void => {
    const info: RunInfo = { ...blankRunInfo, run_id, project_id: own.project, task_id: task, status: "completed" };
    const final = { ...info, start_time: "2026", end_time: "2026", exit_code: 0, ...facts };
    writeRunInfo(pathsOf(run_id, task).info, final);
    appendLedger(home, endRecord(final));
  };

  let parent = "";
  for (let i = 0; i < above; i += 1) parent = addRun(parent);
  const me = addRun(parent);
  const asked: (readonly Question[])[] = [];
  const calls = agentCalls(
    {
      runId: me,
      ask: async (questions) => {
        asked.push(questions);
        return { outcome: "answered", answers: { q1: ["blue"] } };
      },
    },
    {
      home,
      ...own,
      limits,
      clock,
      wiring: {
        startChild: async ({ prompt }) => {
          if (prompt === "broken") throw new AppError("agent.unknown", "no such agent");
          await new Promise((resolve) => setImmediate(resolve)); // as a real one, it takes a while
          return { run_id: addRun(me, {}, "kid"), task: "kid" };
        },
        heal: async () => {},
        createTask: async ({ title, prompt }) => {
          const ref = { project: own.project, task: title };
          const file = { version: 1 as const, title, prompt, workspace: "/", depends_on: [], priority: 0 };
          const policy = { review: false, on_failed_dependency: "fail" as const };
          createTaskFile(home, ref, { ...file, policy, limits: {}, created: "", by: "" });
          return ref;
        },
      },
    },
  );
  const spawn = (prompt = "do it") => calls.spawn_run({ prompt }, never);
  return { home, clock, calls, me, addRun, end, pathsOf, spawn, asked };
}

const noTask = { title: "t", prompt: "p", depends_on: [], review: false, priority: 0 };
const post = { type: "INFO", parents: [], links: [] };

describe("the bus", () => {
  test("is that of the run's own task, and messages bear the run's id", async () => {
    const { home, calls, me } = scene();
    appendMessage(busPath(home, "web", "other"), { type: "INFO", project: "web", task: "other", body: "secret" }, 0);
    const { id } = await calls.bus_post({ ...post, body: "hello" }, never);
    const { messages } = await calls.bus_read({ limit: 20 }, never);
    expect(messages.at(-1)).toMatchObject({ id, run: me, project: "web", task: "fix", body: "hello" });
    expect(JSON.stringify(messages)).not.toContain("secret");
  });

  test("is read on from a cursor", async () => {
    const { calls } = scene();
    await calls.bus_post({ ...post, body: "one" }, never);
    const { cursor } = await calls.bus_read({ limit: 20 }, never);
    await calls.bus_post({ ...post, body: "two", type: "FACT" }, never);
    await calls.bus_post({ ...post, body: "three" }, never);
    const bodies = async (wanted: { since?: string; type?: string; limit: number }) =>
      (await calls.bus_read(wanted, never)).messages.map(({ body }) => body);
    expect(await bodies({ since: cursor, limit: 20 })).toEqual(["two", "three"]);
    expect(await bodies({ since: cursor, limit: 1 })).toEqual(["two"]);
    expect(await bodies({ type: "FACT", limit: 20 })).toEqual(["two"]);
  });

  test.each(["RUN_START", "RUN_STOP", "RUN_CRASH", "TASK_STATE"])("%s is cox's own to write", async (type) => {
    const { home, calls } = scene();
    await expect(calls.bus_post({ ...post, type, body: "done" }, never)).rejects.toMatchObject({
      code: "usage.invalid",
    });
    expect(readMessages(busPath(home, "web", "fix")).messages.map(({ type }) => type)).toEqual(["RUN_START"]);
  });
});

describe("a question", () => {
  const plain: GivenTo<"ask_user"> = { question: "Which?", choices: [], multiple: false, allow_other: true };
  const forms: [string, Partial<typeof plain>, object][] = [
    ["for a text", {}, { answer: "text" }],
    ["with choices", { choices: ["a", "b"] }, { answer: "choice", allowOther: true, choices: [{ value: "a" }, {}] }],
    ["with several", { choices: ["a"], multiple: true, allow_other: false }, { answer: "choices", allowOther: false }],
  ];
  test.each(forms)("%s", async (_, wish, question) => {
    const { calls, asked } = scene();
    const answer = await calls.ask_user({ ...plain, ...wish }, never);
    expect(answer).toEqual({ outcome: "answered", answers: ["blue"] });
    expect(asked).toMatchObject([[{ id: "q1", text: "Which?", ...question }]]);
  });
});

describe("children", () => {
  test("no deeper than allowed", async () => {
    await expect(scene({ above: 4 }).spawn()).resolves.toMatchObject({ task: "kid" });
    const refused = scene({ above: 5 }).spawn();
    await expect(refused).rejects.toMatchObject({ code: "limit.exceeded" });
    await expect(refused).rejects.toThrow("children.depth");
  });

  test("no more at once than allowed, also when asked for at once; an ended one makes room", async () => {
    const { spawn, end } = scene({ limits: { depth: 5, live: 2, total: 100 } });
    const started = await Promise.allSettled([spawn(), spawn(), spawn()]);
    expect(started.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    await expect(spawn()).rejects.toThrow("children.live");
    const [first] = started;
    if (first?.status === "fulfilled") end(first.value.run_id, {}, "kid");
    await expect(spawn()).resolves.toBeDefined();
  });

  test("no more in all than allowed", async () => {
    const { spawn, end } = scene({ limits: { depth: 5, live: 20, total: 2 } });
    for (let i = 0; i < 2; i += 1) end((await spawn()).run_id, {}, "kid");
    await expect(spawn()).rejects.toThrow("children.total");
  });

  test("one that can't be started takes nobody's place", async () => {
    const { spawn } = scene({ limits: { depth: 5, live: 1, total: 1 } });
    await expect(spawn("broken")).rejects.toMatchObject({ code: "agent.unknown" });
    await expect(spawn()).resolves.toBeDefined();
  });

  test("others are not seen: neither strangers, nor siblings, nor those above", async () => {
    const { calls, me, addRun } = scene({ above: 1 });
    const [parent, stranger] = [me.replace(/2$/, "1"), addRun()];
    const sibling = addRun(parent);
    for (const run_id of [parent, stranger, sibling, me, "latest", "../../x"]) {
      const refused = calls.run_status({ run_id, output: true }, never);
      await expect(refused).rejects.toMatchObject({ code: "run.not_found" });
      await expect(calls.wait_run({ run_ids: [run_id], timeout_s: 0 }, never)).rejects.toMatchObject({
        code: "run.not_found",
      });
    }
  });

  test("grandchildren are", async () => {
    const { calls, spawn, addRun, end } = scene();
    const { run_id: child } = await spawn();
    const grandchild = addRun(child);
    end(grandchild, { status: "failed", reason: "exit_code", exit_code: 3, error_summary: "broke" });
    expect(await calls.run_status({ run_id: grandchild, output: false }, never)).toMatchObject({
      status: "failed",
      reason: "exit_code",
      exit_code: 3,
      error: "broke",
    });
  });

  test("what they produced is shown from its beginning, and never through a link", async () => {
    const { calls, addRun, me, pathsOf } = scene();
    const [good, sly] = [addRun(me), addRun(me)];
    writeFileSync(pathsOf(good).output, `${"x".repeat(1024 * 1024 - 1)}äöü`);
    const report = await calls.run_status({ run_id: good, output: true }, never);
    expect(report.output?.length).toBe(1024 * 1024 - 1);
    expect(report.output_bytes).toBe(1024 * 1024 + 5);
    writeFileSync(join(pathsOf(sly).dir, "secret"), "secret");
    symlinkSync("secret", pathsOf(sly).output);
    expect(await calls.run_status({ run_id: sly, output: true }, never)).toMatchObject({ output: "", output_bytes: 0 });
  });

  test("waiting ends with the last of them, with the time, or with the asker", async () => {
    const { calls, clock, spawn, end } = scene();
    const { run_id } = await spawn();
    const wait = (timeout_s: number, signal = never) => calls.wait_run({ run_ids: [run_id], timeout_s }, signal);
    expect(await wait(0)).toMatchObject({ ended: false, runs: [{ run_id, status: "running" }] });
    const gone = new AbortController();
    const given = wait(3600, gone.signal);
    gone.abort();
    expect(await given).toMatchObject({ ended: false });
    const waiting = wait(3600);
    await new Promise((resolve) => setImmediate(resolve));
    end(run_id, {}, "kid");
    clock.advance(200);
    expect(await waiting).toMatchObject({ ended: true, runs: [{ status: "completed", exit_code: 0 }] });
  });
});

describe("tasks", () => {
  test("its own, those it made and those of its children are seen, no others", async () => {
    const { calls, home, spawn } = scene();
    const look = (task?: string) => calls.task_status({ task }, never);
    expect(await look()).toMatchObject({ task: "web/fix", state: "in_progress", title: "a title", live: true });
    expect(await calls.task_create({ ...noTask, title: "later" }, never)).toEqual({ task: "web/later" });
    expect(await look("later")).toMatchObject({ task: "web/later", title: "later", state: "todo" });
    await spawn();
    expect(await look("web/kid")).toMatchObject({ task: "web/kid", state: "in_progress" });
    mkdirSync(join(home.root, "projects/web/other"), { recursive: true });
    appendFileSync(join(home.root, "projects/web/other/task.yaml"), "title: secret\n");
    for (const name of ["other", "web/other", "../other", "a/b/c", ""]) {
      await expect(look(name)).rejects.toMatchObject({ code: "task.not_found" });
    }
  });

  test("no more than allowed", async () => {
    const { calls } = scene({ limits: { depth: 5, live: 20, total: 1 } });
    await calls.task_create({ ...noTask, title: "one" }, never);
    await expect(calls.task_create({ ...noTask, title: "two" }, never)).rejects.toMatchObject({
      code: "limit.exceeded",
    });
  });
});
