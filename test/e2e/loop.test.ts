import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { BusMessage } from "../../src/contract/bus.ts";
import { readMessages } from "../../src/core/store/bus/bus-reader.ts";
import { finished, type Scene, scene, until } from "../support/cox.ts";

const demo = ["--agent", "demo", "--permissions", "allow"];

/** The bus of the only task. */
function bus(made: Scene): BusMessage[] {
  const [run] = made.runs();
  return readMessages(join(run?.dir ?? "", "../../TASK-MESSAGE-BUS.md")).messages;
}

describe("cox loop", () => {
  test("ends with the first completed run", async () => {
    const made = scene();
    const { code, stderr } = await made.cox(["loop", ...demo, "--", "@say hi"]);
    expect(code, stderr).toBe(0);
    expect(made.runs()).toHaveLength(1);
    expect(stderr).toContain("done after 1 attempts: the run completed");
  });

  test("tries again after a failure, in a chain, and gives up at the limit", async () => {
    const made = scene();
    const { code, stderr } = await made.cox([
      "loop",
      ...demo,
      "--max-attempts",
      "3",
      "--delay",
      "10ms",
      "--",
      "@crash 3",
    ]);
    expect(code).toBe(3);
    expect(stderr).toContain("failed after 3 attempts");
    const runs = made.runs();
    expect(runs.map(({ info }) => info?.previous_run_id)).toEqual(["", runs[0]?.info?.run_id, runs[1]?.info?.run_id]);
    const second = runs[1]?.events.find((event) => event.type === "user_message");
    expect(JSON.stringify(second)).toContain("Continue working on the following:");
    const titles = made.ledger().flatMap((record) => ("title" in record ? [record.title] : []));
    expect(titles).toEqual(["@crash 3", "@crash 3", "@crash 3"]);
  });

  test("--until done goes on until the file is there, and an old one doesn't count", async () => {
    const made = scene();
    const args = ["loop", ...demo, "--project", "p", "--task", "t", "--until", "done", "--delay", "10ms"];
    const script = "@run test -e count && touch $TASK_FOLDER/DONE; touch count";
    const { code, stderr } = await made.cox([...args, "--", script]);
    expect(code, stderr).toBe(0);
    expect(made.runs()).toHaveLength(2);
    const again = await made.cox([...args, "--max-attempts", "1", "--", "@say the old DONE is still there"]);
    expect(again.code).not.toBe(0);
  });

  test("a DONE in the folder the agent works in counts, and it is said where it is looked for", async () => {
    const made = scene();
    const script = "@run test -e count && touch DONE; touch count";
    const { code, stderr } = await made.cox(["loop", ...demo, "--until", "done", "--delay", "10ms", "--", script]);
    expect(code, stderr).toBe(0);
    expect(made.runs()).toHaveLength(2);
    expect(stderr).toMatch(/a new file DONE ends it, in \/.*home\/projects\/.* or \/.*workspace-/);
  });

  test.each([
    ["talk only", "@say all is well", false],
    ["leave the repository as it is", "@run true", true],
  ])("attempts that %s end it", async (_, script, inRepository) => {
    const made = scene();
    if (inRepository) execFileSync("git", ["init", "-q"], { cwd: made.workspace });
    const { code, stderr } = await made.cox(["loop", ...demo, "--until", "done", "--delay", "10ms", "--", script]);
    expect(code).not.toBe(0);
    expect(stderr).toContain("failed after 3 attempts: 3 attempts in a row changed nothing");
  });

  test("goes on in the same conversation when asked to", async () => {
    const made = scene();
    const args = ["loop", ...demo, "--until", "done", "--max-attempts", "2", "--delay", "10ms", "--resume-session"];
    await made.cox([...args, "--", "@say noted\nthe word is xyzzy"]);
    const [first, second] = made.runs();
    expect(second?.info?.session_id).toBe(first?.info?.session_id);
    expect(second?.events.find((event) => event.type === "session_status")).toMatchObject({ status: "resumed" });
  });

  test("cox stop ends the loop, not just the run", async () => {
    const made = scene();
    const child = made.start(["loop", ...demo, "--delay", "10ms", "--", "@slow 1000 20"]);
    child.stdin?.end();
    const end = finished(child);
    const id = await until(() => existsSync(join(made.home, "runs.jsonl")) && made.ledger()[0]?.run_id);
    await until(() => made.runs()[0]?.events.some((event) => event.type === "message_chunk"));
    await made.cox(["stop", id]);
    const { stderr } = await end;
    expect(stderr).toContain("stopped after 1 attempts");
    expect(made.runs()).toHaveLength(1);
  });

  test("SIGTERM ends the agent, the record and the loop with 143", async () => {
    const made = scene();
    const child = made.start(["loop", ...demo, "--", "@slow 1000 20"]);
    child.stdin?.end();
    const end = finished(child);
    await until(
      () =>
        existsSync(join(made.home, "projects")) &&
        made.runs()[0]?.events.some((event) => event.type === "message_chunk"),
    );
    child.kill("SIGTERM");
    expect((await end).code).toBe(143);
    expect(made.runs()[0]?.info).toMatchObject({ status: "failed", reason: "stopped" });
  });
});

describe("the task's bus", () => {
  test.each([
    ["a completed run", "@say hi", "RUN_STOP"],
    ["a crashed one", "@crash 3", "RUN_CRASH"],
  ])("%s: start and end, in order, once", async (_, prompt, end) => {
    const made = scene();
    await made.cox(["run", ...demo, "--", prompt]);
    expect(
      bus(made)
        .map(({ type }) => type)
        .filter((type) => type.startsWith("RUN_")),
    ).toEqual(["RUN_START", end]);
  });
});

describe("children", () => {
  test("an agent's child knows its parent; the tree shows it; the preamble's commands work", async () => {
    const made = scene();
    const script = [
      '@run cox bus post --type PROGRESS "tests pass, docs next"',
      "@run cox bus read --limit 20",
      '@run cox run -d --agent demo --permissions allow "@say child" > id',
      "@run cox wait $(cat id) && cox output $(cat id)",
      "@run touch $TASK_FOLDER/DONE",
    ].join("\n");
    const { code, stdout } = await made.cox(["run", ...demo, "--json", "--", script]);
    expect(code).toBe(0);
    const results = stdout
      .split("\n")
      .filter((line) => line.includes('"type":"tool_update"') && line.includes('"exitCode"'))
      .map((line) => (JSON.parse(line) as { exitCode: number }).exitCode);
    expect(results).toEqual([0, 0, 0, 0, 0]);
    const [parent, child] = made.runs();
    expect(child?.info).toMatchObject({ parent_run_id: parent?.info?.run_id, status: "completed" });
    const tree = await made.cox(["tree"]);
    expect(tree.stdout).toMatch(/^\S+ .*\n└─ \S+ .*child/m);
    expect(stdout).toContain("tests pass, docs next");
    expect(existsSync(join(parent?.dir ?? "", "../../DONE"))).toBe(true);
    expect(readFileSync(join(parent?.dir ?? "", "prompt.md"), "utf8")).toContain("cox bus post --type PROGRESS");
  });

  test("stopping a parent stops its descendants", async () => {
    const made = scene();
    const script = '@run cox run -d --agent demo --permissions allow "@slow 1000 50"\n@slow 1000 50';
    const started = await made.cox(["run", "-d", ...demo, "--", script]);
    await until(
      () =>
        made.runs().length === 2 &&
        made.runs().every(({ events }) => events.some(({ type }) => type === "message_chunk")),
    );
    await made.cox(["stop", started.stdout.trim()]);
    await until(() => made.runs().every(({ info }) => info?.status === "failed"));
    expect(made.runs().map(({ info }) => info?.reason)).toEqual(["stopped", "stopped"]);
  });

  test("cox wait ends with the runs, and gives up in time", async () => {
    const made = scene();
    const quick = (await made.cox(["run", "-d", ...demo, "--", "@say hi"])).stdout.trim();
    expect((await made.cox(["wait", quick])).stdout).toContain("completed");
    const slow = (await made.cox(["run", "-d", ...demo, "--", "@slow 1000 50"])).stdout.trim();
    expect((await made.cox(["wait", "--timeout", "300ms", slow])).code).toBe(124);
    await made.cox(["stop", slow]);
  });
});

describe("tasks", () => {
  test("a dependent gets its dependency's results, through the queue", async () => {
    const made = scene();
    writeFileSync(join(made.workspace, "x"), "");
    const create = (...args: string[]) => made.cox(["task", "create", "--agent", "demo", "--project", "p", ...args]);
    expect((await create("--task", "first", "--no-review", "--", "@say the answer is 42")).code).toBe(0);
    const second = await create(
      "--task",
      "second",
      "--no-review",
      "--depends-on",
      "first",
      "--",
      "@say got: {{deps.first.results.output}}",
    );
    expect(second.code, second.stderr).toBe(0);
    for (const task of ["second", "first"]) expect((await made.cox(["queue", "add", `p/${task}`])).code).toBe(0);
    const worked = await made.cox(["queue", "run", "--once"]);
    expect(worked.code, worked.stderr).toBe(0);
    await until(async () => {
      const { stdout } = await made.cox(["task", "ls", "--json"]);
      return stdout.split("\n").filter((line) => line.includes('"done"')).length === 2;
    });
    const texts = made.runs().map(({ dir }) => readFileSync(join(dir, "output.md"), "utf8"));
    expect(texts).toEqual(expect.arrayContaining([expect.stringContaining("got: the answer is 42")]));
  });

  test("a queue worked off once says by its exit code that a task failed", async () => {
    const made = scene();
    const failing = ["--task", "failing", "--no-review", "--", "@crash 3"];
    expect((await made.cox(["task", "create", "--agent", "demo", "--project", "p", ...failing])).code).toBe(0);
    expect((await made.cox(["queue", "add", "p/failing"])).code).toBe(0);
    const worked = await made.cox(["queue", "run", "--once"]);
    expect(worked.stdout).toContain("p/failing ended: failed");
    expect(worked.code).toBe(1);
  });
});
