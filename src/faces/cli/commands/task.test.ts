import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { FakeRuns } from "../../../../test/support/fake-runs.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { TaskFile } from "../../../contract/tasks/task-file.ts";
import { appendMessage, busPath } from "../../../core/store/bus/bus.ts";
import { readMessages } from "../../../core/store/bus/bus-reader.ts";
import { type Home, openHome } from "../../../core/store/home.ts";
import { readTaskFile } from "../../../core/store/task-file.ts";
import { createTask } from "../../../core/tasks/create.ts";
import { runCommand } from "../../../lib/command/command.ts";
import { loadVerb } from "../../../lib/command/group.ts";
import { runOptions } from "../run-options.ts";
import { envOption, termOptions } from "../term-options.ts";
import { testContext } from "../testing/test-context.ts";
import queue from "./queue.ts";
import task from "./task.ts";

let home: Home;
let cwd: string;

beforeEach(() => {
  home = openHome(temporaryFolder());
  cwd = join(realpathSync(temporaryFolder()), "web");
  mkdirSync(join(cwd, ".git"), { recursive: true });
});

async function cox(command: string, args: string[], options: Parameters<typeof testContext>[0] = {}) {
  const context = testContext({ env: { COX_HOME: home.root }, cwd, ...options });
  const spec = command === "task" ? task : queue;
  const code = await runCommand(spec, args, context);
  return { code, out: context.out(), err: context.err() };
}

const refused = (code: string, message = /./) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });
const states = async () =>
  Object.fromEntries(
    (await cox("task", ["ls", "--json"])).out
      .split("\n")
      .filter(Boolean)
      .map((line): [string, string] => {
        const { task, state } = JSON.parse(line);
        return [task, state];
      }),
  );

test("a file that somebody wrote wrongly hides no other task", async () => {
  await cox("task", ["create", "--task", "good", "x"]);
  await cox("task", ["create", "--task", "bad", "x"]);
  const file = join(home.root, "projects/web/bad/task.yaml");
  writeFileSync(file, "title: 7\n");
  const { code, out, err } = await cox("task", ["ls"]);
  expect(code).toBe(0);
  expect(out).toContain("web/good");
  expect(err).toMatch(new RegExp(`^cox: task file ${file}: .*; correct it, or delete the task\n$`));
  expect(await states()).toEqual({ good: "todo" });
});

test("the list begins with what changed last, and says how many there are", async () => {
  for (let n = 0; n < 25; n += 1) {
    const file = TaskFile.parse({ title: "x", prompt: "x", workspace: cwd });
    await createTask(home, { ...file, project: "web", task: `t${n}` }, n * 1000);
  }
  const { out, err } = await cox("task", ["ls"]);
  const names = out.split("\n").flatMap((line) => /web\/(t\d+)/.exec(line)?.[1] ?? []);
  expect(names).toEqual(Array.from({ length: 20 }, (_, i) => `t${24 - i}`));
  expect(err).toBe("5 more: cox task ls -n 25\n");
  expect((await cox("task", ["ls", "-n", "2", "--json"])).out.trim().split("\n")).toHaveLength(2);
});

describe("cox task create", () => {
  test("a title that its file could not hold is refused before anything is made", async () => {
    await cox("task", ["create", "--task", "fits", "--title", "x".repeat(200), "x"]);
    const refusal = cox("task", ["create", "--task", "long", "--title", "x".repeat(201), "x"]);
    await expect(refusal).rejects.toEqual(refused("task.invalid", /^create task .*long: title: .*200/));
    expect(await states()).toEqual({ fits: "todo" });
  });

  test("makes a task of the words, in the project of this folder", async () => {
    const { out } = await cox("task", ["create", "Fix", "the login test"]);
    expect(out).toMatch(/^web\/task-20260801-120000-fix-the-login-test\n$/);
    const ref = { project: "web", task: out.trim().split("/")[1] ?? "" };
    expect(await readTaskFile(home, ref)).toMatchObject({
      title: "Fix the login test",
      prompt: "Fix the login test",
      workspace: cwd,
      policy: { on_failed_dependency: "fail" },
    });
  });

  test("with everything that can be said", async () => {
    await cox("task", ["create", "--task", "base", "x"]);
    const args = [
      "--title",
      "T",
      "--task",
      "fix",
      "--project",
      "p",
      "--agent",
      "demo",
      "--cwd",
      "/tmp",
      "--depends-on",
    ];
    const terms = ["--worktree", "--base", "main", "--model", "big", "--permissions", "allow", "--on", "sandbox"];
    const limits = ["--network", "off", "--fallback", "codex,claude", "--max-cost", "2", "--idle-timeout", "5s"];
    const flags = ["--clean-env", "--no-tools", "--no-preamble", "--same-checkout"];
    const more = ["web/base", "--on-failed", "skip", "--review", "--priority", "7", "--timeout", "2m", "--json"];
    const { out } = await cox("task", ["create", ...args, ...more, ...terms, ...limits, ...flags], {
      stdin: "from\nstdin\n",
    });
    expect(JSON.parse(out)).toEqual({ project: "p", task: "fix" });
    expect(await readTaskFile(home, { project: "p", task: "fix" })).toMatchObject({
      title: "T",
      prompt: "from\nstdin\n",
      agent: "demo",
      workspace: realpathSync("/tmp"),
      depends_on: ["web/base"],
      priority: 7,
      policy: { review: true, on_failed_dependency: "skip", same_checkout: true },
      worktree: { base: "main" },
      model: "big",
      permissions: "allow",
      on: "sandbox",
      network: "off",
      fallback: ["codex", "claude"],
      clean_env: true,
      tools: false,
      preamble: false,
      limits: { timeout: 120, idle_timeout: 5, max_cost_usd: 2 },
    });
  });

  test("takes what cox run takes for its agent, but no variables: their values would stay in a file", async () => {
    const optionsOf = async (verb: string) => {
      const spec = task.verbs?.[verb];
      return spec === undefined ? {} : (await loadVerb(spec)).options;
    };
    const [create, start] = [await optionsOf("create"), await optionsOf("start")];
    for (const [name, option] of Object.entries(termOptions)) {
      for (const options of [create, start, runOptions]) expect(options).toHaveProperty([name], option);
    }
    expect(start).toMatchObject(envOption);
    expect(create).not.toHaveProperty("env");
  });

  test("without words the prompt is what comes on stdin, and nothing is refused", async () => {
    await expect(cox("task", ["create"], { stdin: " \n" })).rejects.toThrow(refused("usage.invalid", /stdin is empty/));
    expect(existsSync(join(home.root, "projects"))).toBe(false);
  });

  test.each<[string, string[], string, RegExp]>([
    ["a name that is a path", ["--task", "../x", "p"], "id.invalid", /not a valid name/],
    ["agent and profile", ["--agent", "a", "--profile", "b", "p"], "usage.invalid", /not both/],
    ["review and no review", ["--review", "--no-review", "p"], "usage.invalid", /not both/],
    ["a priority that is none", ["--priority", "high", "p"], "usage.invalid", /not a number/],
    ["an unknown policy", ["--on-failed", "panic", "p"], "usage.invalid", /choose fail, skip, wait/],
    ["a folder that is not there", ["--cwd", "/no/such/folder", "p"], "workspace.invalid", /does not exist/],
    ["a dependency that is not there", ["--depends-on", "nope", "p"], "dependency.missing", /web\/nope/],
    ["an option of another verb", ["--force", "p"], "usage.invalid", /cox task create: --force: no such option/],
  ])("refuses %s", async (_, args, code, message) => {
    await expect(cox("task", ["create", ...args], { tty: true })).rejects.toThrow(refused(code, message));
    expect(existsSync(join(home.root, "projects"))).toBe(false);
  });
});

describe("cox task", () => {
  test("ls shows each with its state, and where it can't show any, what to do", async () => {
    expect((await cox("task", ["ls"])).err).toMatch(/cox task create/);
    await cox("task", ["create", "--task", "one", "First thing\x1b[31m"]);
    await cox("task", ["create", "--task", "two", "--project", "other", "Second thing"]);
    const { out } = await cox("task", ["ls"]);
    expect(out).toMatch(/^TASK +STATE +SINCE +RUNS +TITLE\n/);
    expect(out).toMatch(/^web\/one +todo +0s +0 +First thing$/m);
    expect((await cox("task", ["ls", "--project", "other"])).out).not.toContain("one");
    expect((await cox("task", ["ls", "--state", "done"])).out).toBe("");
    await expect(cox("task", ["ls", "--state", "finished"])).rejects.toThrow(refused("usage.invalid", /choose todo/));
  });

  test("show tells all that is known", async () => {
    await cox("task", ["create", "--task", "base", "x"]);
    await cox("task", ["create", "--task", "fix", "--depends-on", "base", "--review", "Do it\nwell"]);
    const runs = new FakeRuns(home);
    const run = runs.start({ project: "web", task: "fix" });
    runs.end(run, { branch: "fix/x" });
    await cox("queue", ["add", "fix"]);
    appendMessage(busPath(home, "web", "fix"), { type: "RESULT", project: "web", body: "pr: 7" }, 0);
    const { out } = await cox("task", ["show", "fix"]);
    for (const line of [/^state +queued$/m, /^queue +position 1$/m, /^review +yes$/m, /^depends on +base \(todo\)$/m]) {
      expect(out).toMatch(line);
    }
    expect(out).toMatch(new RegExp(`^runs +${run}$`, "m"));
    expect(out).toMatch(/^result pr +7$/m);
    expect(out.endsWith("\n\nDo it\nwell\n")).toBe(true);
    expect(JSON.parse((await cox("task", ["show", "web/fix", "--json"])).out)).toMatchObject({
      state: "queued",
      results: { branch: "fix/x", pr: "7" },
      run_ids: [run],
    });
  });

  test("done, cancel and delete", async () => {
    for (const name of ["a", "b", "c"]) await cox("task", ["create", "--task", name, "x"]);
    expect((await cox("task", ["done", "a"])).out).toBe("web/a done\n");
    expect((await cox("task", ["cancel", "b"])).out).toBe("web/b cancelled\n");
    expect((await cox("task", ["delete", "c"])).out).toBe("web/c deleted\n");
    expect(await states()).toEqual({ a: "done", b: "cancelled" });
    await expect(cox("task", ["start", "b"])).rejects.toThrow(refused("task.state"));
    await expect(cox("task", ["done", "c"])).rejects.toThrow(refused("task.not_found"));
    const by = readMessages(busPath(home, "web", "a"), { type: "TASK_STATE" }).messages.map(({ data }) => data?.by);
    expect(by).toEqual([expect.stringContaining("@"), expect.stringContaining("@")]);
  });

  test.each([
    ["nothing to do", [], /what to do\?/],
    ["no task", ["start"], /something is missing; usage: cox task start \[options\] TASK/],
    ["too many", ["cancel", "a", "b"], /too many words/],
    ["send-back without words", ["send-back", "a"], /something is missing/],
  ])("refuses %s", async (_, args, message) => {
    await expect(cox("task", args)).rejects.toThrow(refused("usage.invalid", message));
  });
});

describe("cox queue", () => {
  test("add, ls and rm", async () => {
    expect((await cox("queue", ["ls"])).err).toMatch(/cox queue add TASK/);
    for (const [name, priority] of [
      ["a", "0"],
      ["b", "5"],
      ["c", "0"],
    ] as const) {
      await cox("task", ["create", "--task", name, "--priority", priority, "x"]);
    }
    expect((await cox("queue", ["add", "a", "b"])).out).toBe("web/a position 1\nweb/b position 1\n");
    expect(JSON.parse((await cox("queue", ["add", "c", "--json"])).out)).toEqual({
      project: "web",
      task: "c",
      position: 3,
    });
    const { out } = await cox("queue", ["ls"]);
    expect(out.split("\n").map((line) => line.split(/ +/).slice(0, 3).join(" "))).toEqual([
      "POSITION TASK PRIORITY",
      "1 web/b 5",
      "2 web/a 0",
      "3 web/c 0",
      "",
    ]);
    expect((await cox("queue", ["rm", "b"])).out).toBe("web/b todo\n");
    expect(await states()).toEqual({ a: "queued", b: "todo", c: "queued" });
    expect((await cox("task", ["stop", "a"])).out).toBe("web/a todo\n");
    const left = (await cox("queue", ["ls", "--json"])).out.trim().split("\n");
    expect(left.map((line) => JSON.parse(line).task)).toEqual(["c"]);
  });

  test("refuses what is not queued, and limits that are none", async () => {
    await cox("task", ["create", "--task", "a", "x"]);
    await expect(cox("queue", ["rm", "a"])).rejects.toThrow(refused("task.state", /is todo/));
    await expect(cox("queue", ["run", "--max-concurrent", "0"])).rejects.toThrow(refused("usage.invalid"));
  });

  test("run --once of an empty queue ends at once", async () => {
    expect(await cox("queue", ["run", "--once"])).toEqual({ code: 0, out: "", err: "" });
  });
});
