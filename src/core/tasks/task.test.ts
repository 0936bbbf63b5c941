import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { FakeRuns } from "../../../test/support/fake-runs.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { blankRunInfo } from "../../contract/runs/run.ts";
import { systemClock } from "../../lib/base/clock.ts";
import { ourselves } from "../../lib/process/holders/holder.ts";
import { appendMessage, busPath } from "../store/bus/bus.ts";
import { readMessages } from "../store/bus/bus-reader.ts";
import { readProgress } from "../store/bus/lifecycle.ts";
import { findTask, listTasks } from "../store/find-task.ts";
import { type Home, openHome, socketPath, taskFolder } from "../store/home.ts";
import { beginLedger, goneRuns } from "../store/ledger/ledger.ts";
import { createRunDirectory } from "../store/runs/run-directory.ts";
import { writeRunInfo } from "../store/runs/run-info.ts";
import { readTaskFile, type TaskRef } from "../store/task-file.ts";
import { cancelTask, changeTask, deleteTask, finishTask, stopTask } from "./change.ts";
import { createTask, type NewTask } from "./create.ts";
import { checkDependencies, expandPrompt } from "./dependencies.ts";
import { resultsOf } from "./results.ts";
import { resumeTask, sendBackTask, startTask, tellTask } from "./start.ts";
import { summaries, summarize } from "./task.ts";

const doing = { by: "ada", clock: systemClock };
let home: Home;
let runs: FakeRuns;

beforeEach(() => {
  home = openHome(temporaryFolder());
  runs = new FakeRuns(home);
});

const wish = (task: string | undefined, more: Partial<NewTask> = {}): NewTask => ({
  version: 1,
  project: "p",
  task,
  title: "Fix it",
  prompt: "Fix it, please",
  workspace: "/",
  depends_on: [],
  priority: 0,
  policy: { review: false, on_failed_dependency: "fail" },
  limits: {},
  created: "",
  by: "ada",
  ...more,
});
const create = (task?: string, more: Partial<NewTask> = {}) =>
  createTask(home, wish(task, more), Date.parse("2026-01-02T03:04:05Z"));
const at = "2026-01-02T03:04:06.000Z";
const stateOf = ({ project, task }: TaskRef) => readProgress(home, project, task).state;
const refused = (code: string, message = /./) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

describe("making a task", () => {
  test("leaves what it is, the prompt to read, and a first record", async () => {
    const ref = await create("fix", {
      prompt: "line one\nline two: {x}",
      policy: { review: true, on_failed_dependency: "wait" },
    });
    const folder = taskFolder(home, "p", "fix");
    expect(readFileSync(join(folder, "TASK.md"), "utf8")).toBe("# Fix it\n\nline one\nline two: {x}\n");
    expect(await readTaskFile(home, ref)).toMatchObject({
      title: "Fix it",
      prompt: "line one\nline two: {x}",
      policy: { review: true, on_failed_dependency: "wait" },
      created: "2026-01-02T03:04:05.000Z",
    });
    expect(await summarize(home, ref)).toMatchObject({ state: "todo", cause: "created", by: "ada", title: "Fix it" });
  });

  test("without a name gets one of the time and the title, and another in the same second", async () => {
    expect((await create()).task).toBe("task-20260102-030405-fix-it");
    expect((await create()).task).toBe("task-20260102-030405-fix-it-2");
  });

  test("never changes one that is there", async () => {
    await create("fix");
    await expect(create("fix", { prompt: "other" })).rejects.toThrow(refused("task.exists"));
    expect(await readTaskFile(home, { project: "p", task: "fix" })).toMatchObject({ prompt: "Fix it, please" });
  });

  test("of many at once with one name one is made", async () => {
    const made = await Promise.allSettled(Array.from({ length: 20 }, () => create("fix")));
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test.each([
    ["a name that is a path", "../x", {}],
    ["a name that the project's bus has", "blobs", {}],
    ["a project that is a path", "x", { project: "../p" }],
  ])("refuses %s", async (_, task, more) => {
    await expect(create(task, more)).rejects.toThrow(refused("id.invalid"));
  });

  test("refuses one with nothing to do", async () => {
    await expect(create("x", { prompt: " \n" })).rejects.toThrow(refused("task.invalid"));
  });

  test("refuses what its file could not hold, and makes nothing", async () => {
    const long = create("x", { title: "x".repeat(201) });
    await expect(long).rejects.toThrow(refused("task.invalid", /^create task p\/x: title: /));
    expect(existsSync(taskFolder(home, "p", "x"))).toBe(false);
  });

  test("a file that a person wrote by hand is read too, and a wrong one names the place", async () => {
    const folder = taskFolder(home, "p", "hand");
    mkdirSync(folder, { recursive: true });
    const path = join(folder, "task.yaml");
    writeFileSync(path, "title: By hand\nprompt: |\n  two\n  lines\nworkspace: /tmp\npolicy:\n  review: true\n");
    expect(await readTaskFile(home, { project: "p", task: "hand" })).toMatchObject({
      title: "By hand",
      prompt: "two\nlines\n",
      depends_on: [],
      policy: { review: true, on_failed_dependency: "fail" },
    });
    for (const [text, message] of [
      ["title: x\nprompt: y\nworkspace: /\npolicy: {reviews: true}\n", /task\.yaml: policy: /],
      ["title: [\n", /task\.yaml: /],
      ["a: &a [x]\nb: [*a, *a]\n", /task\.yaml: /],
      ["title: x\ntitle: y\n", /task\.yaml: /],
    ] as const) {
      writeFileSync(path, text);
      await expect(readTaskFile(home, { project: "p", task: "hand" })).rejects.toThrow(
        refused("task.invalid", message),
      );
    }
  });
});

describe("finding and listing", () => {
  test("by name, by its beginning where that is unique, by project", async () => {
    await create("fix-login");
    await create("fix-logout");
    await create("fix-login", { project: "q" });
    expect(findTask(home, "q/fix-login")).toEqual({ project: "q", task: "fix-login" });
    expect(findTask(home, "fix-logo")).toEqual({ project: "p", task: "fix-logout" });
    expect(findTask(home, "fix-login", "p")).toEqual({ project: "p", task: "fix-login" });
    expect(() => findTask(home, "fix-login")).toThrow(refused("usage.invalid", /p\/fix-login, q\/fix-login/));
    for (const name of ["", "nope", "p/nope", "p/fix-login/x", "../p", "p/.."]) {
      expect(() => findTask(home, name)).toThrow(refused("task.not_found"));
    }
  });

  test.each(["r7", "r123456", "latest"])("%s means a run: no task is made of this name", async (name) => {
    await expect(create(name)).rejects.toThrow(refused("id.invalid", /what runs are called by/));
    runs.start({ project: "p", task: name }); // as an earlier version did
    expect(() => findTask(home, name)).toThrow(refused("task.not_found"));
    expect(findTask(home, `p/${name}`)).toEqual({ project: "p", task: name });
  });

  test.each(["r0", "r07", "run7", "r7-x", "latest-news", "r1234567890"])(
    "%s is a task like any other",
    async (name) => {
      await create(name);
      expect(findTask(home, name)).toEqual({ project: "p", task: name });
    },
  );

  test("a task that runs made has no file, and is one all the same; a folder with messages alone is none", async () => {
    await create("made");
    runs.start({ project: "p", task: "ran" });
    appendMessage(busPath(home, "p", "talk"), { type: "INFO", project: "p", body: "x" }, 0);
    appendMessage(busPath(home, "p"), { type: "INFO", project: "p", body: "x".repeat(100_000) }, 0);
    expect(listTasks(home).map(({ task }) => task)).toEqual(["made", "ran"]);
    expect((await summaries(home, { state: "in_progress" })).map(({ task }) => task)).toEqual(["ran"]);
  });
});

describe("starting", () => {
  test("hands on its prompt, and moves it by the run's own records", async () => {
    const ref = await create("fix", {
      agent: "demo",
      limits: { timeout: 60 },
      policy: { review: true, on_failed_dependency: "fail" },
    });
    const run = await startTask(home, ref, doing, runs.launch);
    expect(runs.launched[0]).toEqual({
      who: {},
      what: { mode: "batch", prompt: [{ type: "text", text: "Fix it, please" }] },
      where: ref,
      limits: {},
      lineage: { by: "ada", previous: undefined },
    });
    expect(stateOf(ref)).toBe("in_progress");
    runs.end(run);
    expect(stateOf(ref)).toBe("review");
  });

  test("not while it runs, and not when it was cancelled", async () => {
    const ref = await create("fix");
    const run = await startTask(home, ref, doing, runs.launch);
    await expect(startTask(home, ref, doing, runs.launch)).rejects.toThrow(refused("task.state"));
    runs.end(run, { status: "failed", reason: "exit_code", exit_code: 3 });
    expect(stateOf(ref)).toBe("failed");
    await cancelTask(home, ref, doing);
    await expect(startTask(home, ref, doing, runs.launch)).rejects.toThrow(refused("task.state", /is cancelled/));
    expect(runs.launched).toHaveLength(1);
  });

  test("not before what it depends on is done, with its run ended", async () => {
    const first = await create("first");
    const second = await create("second", { depends_on: ["first"] });
    await expect(startTask(home, second, doing, runs.launch)).rejects.toThrow(
      refused("dependency.missing", /waits for first/),
    );
    runs.end(await startTask(home, first, doing, runs.launch));
    await startTask(home, second, doing, runs.launch);
    expect(runs.launched.map(({ where }) => where.task)).toEqual(["first", "second"]);
  });

  test("resuming goes on with the last run's conversation", async () => {
    const ref = await create("fix");
    const run = await startTask(home, ref, doing, runs.launch);
    runs.end(run, { status: "failed", reason: "stopped", exit_code: 130 });
    expect(stateOf(ref)).toBe("todo");
    await resumeTask(home, ref, { ...doing, prompt: "go on" }, runs.launch);
    expect(runs.launched[1]).toMatchObject({
      who: { agent: "demo" },
      what: { prompt: [{ text: "go on" }] },
      lineage: { previous: run, resume: { run } },
    });
  });

  test("resuming what never ran starts it", async () => {
    const ref = await create("fix");
    await resumeTask(home, ref, doing, runs.launch);
    expect(runs.launched[0]).toMatchObject({ what: { prompt: [{ text: "Fix it, please" }] }, lineage: { by: "ada" } });
  });

  test("sending back says why on the bus and to the agent", async () => {
    const ref = await create("fix", { policy: { review: true, on_failed_dependency: "fail" } });
    await expect(sendBackTask(home, ref, "no", doing, runs.launch)).rejects.toThrow(refused("task.state", /is todo/));
    const run = await startTask(home, ref, doing, runs.launch);
    runs.end(run);
    await sendBackTask(home, ref, "still red", doing, runs.launch);
    expect(runs.launched[1]).toMatchObject({
      what: { prompt: [{ text: "still red" }], review: true },
      lineage: { resume: { run } },
    });
    expect(stateOf(ref)).toBe("in_progress");
    expect(readMessages(busPath(home, "p", "fix"), { type: "REVIEW" }).messages).toMatchObject([{ body: "still red" }]);
  });
});

describe("what people do", () => {
  test("done leaves DONE for a loop, and ends nothing twice", async () => {
    const ref = await create("fix");
    await finishTask(home, ref, doing);
    expect(stateOf(ref)).toBe("done");
    expect(existsSync(join(taskFolder(home, "p", "fix"), "DONE"))).toBe(true);
    await expect(finishTask(home, ref, doing)).rejects.toThrow(
      refused("task.state", /is done, so it can't be set to done/),
    );
  });

  test("what can't be stopped is said", async () => {
    const ref = await create("fix");
    await expect(stopTask(home, ref, doing)).rejects.toThrow(refused("task.state", /is todo, so it can't be stopped/));
  });

  test("of two who do what excludes the other one is told", async () => {
    const ref = await create("fix");
    changeTask(home, ref, "cancel", doing);
    expect(() => changeTask(home, ref, "finish", doing)).toThrow(refused("task.state", /is cancelled/));
  });

  test("deleting takes all of it, but nothing that runs or that others wait for", async () => {
    const ref = await create("fix");
    await create("later", { depends_on: ["fix"] });
    await expect(deleteTask(home, ref, { force: false, at })).rejects.toThrow(
      refused("task.state", /p\/later depends on it/),
    );
    const run = await startTask(home, ref, doing, runs.launch);
    beginLedger(home);
    await expect(deleteTask(home, ref, { force: true, at })).rejects.toThrow(refused("task.state", /still runs/));
    runs.end(run);
    await deleteTask(home, ref, { force: true, at });
    expect(listTasks(home).map(({ task }) => task)).toEqual(["later"]);
    expect(existsSync(taskFolder(home, "p", "fix"))).toBe(false);
    expect([...goneRuns(home)]).toEqual([run]);
  });

  test("a file that somebody wrote wrongly may depend on anything, but can be deleted itself", async () => {
    const [good, bad] = [await create("good"), await create("bad")];
    writeFileSync(join(taskFolder(home, "p", "bad"), "task.yaml"), "title: 7\n");
    await expect(deleteTask(home, good, { force: false, at })).rejects.toThrow(refused("task.invalid", /p\/bad\//));
    for (const ref of [bad, good]) await deleteTask(home, ref, { force: false, at });
    expect(listTasks(home)).toEqual([]);
  });
});

describe("dependencies", () => {
  test("must be there", async () => {
    await expect(create("x", { depends_on: ["nope"] })).rejects.toThrow(refused("dependency.missing", /p\/nope/));
    await expect(create("x", { depends_on: ["../x"] })).rejects.toThrow(refused("id.invalid"));
    expect(listTasks(home)).toEqual([]);
  });

  test("may be of another project", async () => {
    await create("base", { project: "q" });
    await create("x", { depends_on: ["q/base"] });
  });

  test("in a ring are refused, with all members", async () => {
    await expect(create("self", { depends_on: ["self"] })).rejects.toThrow(refused("dependency.cycle", /p\/self/));
    const a = await create("a");
    await create("b", { depends_on: ["a"] });
    await create("c", { depends_on: ["b"] });
    await create("outside", { depends_on: ["c"] });
    await deleteTask(home, a, { force: true, at });
    const again = create("a", { depends_on: ["c", "outside"] });
    await expect(again).rejects.toMatchObject({ code: "dependency.cycle" });
    await again.catch((error: { details: { members: string[] } }) =>
      expect(error.details.members.toSorted()).toEqual(["p/a", "p/b", "p/c", "p/outside"]),
    );
  });

  test("a wide and deep graph is walked once", async () => {
    let looks = 0;
    for (let n = 0; n < 12; n += 1) {
      const names = n === 0 ? [] : [`l${n - 1}-a`, `l${n - 1}-b`];
      for (const side of ["a", "b"]) await create(`l${n}-${side}`, { depends_on: names });
    }
    const counting = new Proxy(home, {
      get(target, key: keyof Home) {
        looks += 1;
        return target[key];
      },
    });
    await checkDependencies(counting, { project: "p", task: "top" }, ["l11-a", "l11-b"]);
    expect(looks).toBeLessThan(200); // 24 tasks, each looked at a few times; all paths would be thousands
  });
});

describe("results of a dependency", () => {
  const finished = async (facts = {}, output = "") => {
    const ref = await create("dep");
    runs.end(await startTask(home, ref, doing, runs.launch), facts, output);
    return ref;
  };
  const expanded = async (prompt: string, depends_on = ["dep"]) => {
    const ref = { project: "p", task: "later" };
    const file = { ...wish("later", { prompt, depends_on }) };
    const { project: _, task: __, ...rest } = file;
    return expandPrompt(home, ref, rest);
  };

  test("are facts of its last completed run, and what was posted as RESULT", async () => {
    const ref = await finished({ branch: "fix/x", commit: "abc" }, "all good\n");
    const bus = busPath(home, "p", "dep");
    appendMessage(bus, { type: "RESULT", project: "p", body: "pr: 7\ncoverage: 81 %\nsome words" }, 0);
    appendMessage(bus, { type: "RESULT", project: "p", body: "pr: https://example.org/pulls/8: draft" }, 0);
    const results = resultsOf(home, ref);
    expect(results).toEqual({
      run_id: expect.any(String),
      status: "completed",
      branch: "fix/x",
      commit: "abc",
      output: "all good",
      pr: "https://example.org/pulls/8: draft",
      coverage: "81 %",
    });
    expect(
      await expanded(
        '{{ index .Deps "dep" "Results" "branch" }} {{deps.dep.results.pr}}\n{{ index .Deps "dep" "Name" }}',
      ),
    ).toBe("fix/x https://example.org/pulls/8: draft\ndep");
  });

  test("are those of a failed run after it no more than before", async () => {
    const ref = await finished({ branch: "one" });
    runs.end(runs.start(ref), { status: "failed", branch: "two" });
    expect(resultsOf(home, ref).branch).toBe("one");
  });

  test("with a long output are cut, and say so", async () => {
    const ref = await finished({}, "x".repeat(50_000));
    expect(resultsOf(home, ref).output).toMatch(/^x{32768}…\n\(cut: all 50000 bytes are in .*output\.md\)$/);
  });

  test("that are not there are an error, never an empty text", async () => {
    await finished();
    await expect(expanded("{{deps.dep.results.branch}}")).rejects.toThrow(
      refused("template.invalid", /there is no .*branch/),
    );
    await expect(expanded("{{deps.other.results.branch}}")).rejects.toThrow(refused("dependency.missing", /other/));
    await expect(expanded("{{deps.dep.results.run_id}}", [])).rejects.toThrow(
      refused("dependency.missing", /depends on nothing/),
    );
  });

  test("are data: braces in them stay braces", async () => {
    await finished({ branch: '{{ index .Deps "dep" "Results" "commit" }}' });
    expect(await expanded("{{deps.dep.results.branch}}")).toBe('{{ index .Deps "dep" "Results" "commit" }}');
  });

  test("a prompt about templates is left alone where nothing is depended on", async () => {
    expect(await expanded("explain {{ user.name }} and {{#if}}", [])).toBe("explain {{ user.name }} and {{#if}}");
    await finished();
    await expect(expanded("explain {{#if}}")).rejects.toThrow(refused("template.invalid"));
  });
});

test("a run that has just begun, and has no socket yet, is told when it has", async () => {
  const ref = { project: "p", task: "t" };
  const { runId, paths } = createRunDirectory(home, ref, ourselves());
  writeRunInfo(paths.info, { ...blankRunInfo, run_id: runId, project_id: "p", task_id: "t", agent: "demo" });
  const never = () => Promise.reject(new Error("somebody is at it: no other run is started"));
  const told = tellTask(home, ref, "not so", doing, never);
  await systemClock.sleep(120);
  let heard = "";
  const host = createServer((socket) => {
    socket.on("data", (chunk) => {
      heard += String(chunk);
      socket.end('{"id":1,"ok":true}\n');
    });
  });
  onTestFinished(() => void host.close());
  const path = socketPath(home, runId);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  host.listen(path);
  expect(await told).toBe(runId);
  expect(JSON.parse(heard)).toMatchObject({ command: { type: "prompt", content: [{ text: "not so" }], by: "ada" } });
});
