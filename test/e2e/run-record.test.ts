import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRunId } from "../../src/contract/ids.ts";
import { parseRunInfo } from "../../src/contract/runs/run.ts";
import { scene } from "../support/cox.ts";

const demo = ["run", "--agent", "demo", "--permissions", "allow", "--project", "shop", "--task", "fix"];

/** What other conductors of agents promise to a script or prompt, as the agent itself finds it. */
test("a run's folder, its files and its variables, seen from inside", async () => {
  const made = scene();
  const script = [
    "@stderr a word aside",
    "@run env -0 > env; cp $RUN_FOLDER/run-info.yaml $RUN_FOLDER/prompt.md .",
    "@run echo my summary > $JRUN_RUN_FOLDER/output.md",
  ].join("\n");
  expect((await made.cox([...demo, "--", script])).code).toBe(0);
  const [run] = made.runs();
  const dir = run?.dir ?? "";
  const id = run?.info?.run_id ?? "";
  const task = join(made.home, "projects/shop/fix");
  expect(dir).toBe(join(task, "runs", id));
  expect(isRunId(id)).toBe(true);

  const seen = (name: string) => readFileSync(join(made.workspace, name), "utf8");
  const variables = Object.fromEntries(
    seen("env")
      .split("\0")
      .map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
  );
  expect(variables).toMatchObject({
    JRUN_PROJECT_ID: "shop",
    JRUN_TASK_ID: "fix",
    JRUN_ID: id,
    JRUN_PARENT_ID: "",
    JRUN_RUNS_DIR: join(task, "runs"),
    JRUN_MESSAGE_BUS: join(task, "TASK-MESSAGE-BUS.md"),
    JRUN_TASK_FOLDER: task,
    JRUN_RUN_FOLDER: dir,
    TASK_FOLDER: task,
    RUN_FOLDER: dir,
  });
  expect(existsSync(variables.JRUN_MESSAGE_BUS ?? "")).toBe(true);

  expect(parseRunInfo(seen("run-info.yaml"))).toMatchObject({ run_id: id, status: "running", exit_code: -1 });
  expect(run?.info).toMatchObject({ status: "completed", exit_code: 0 });
  expect(seen("prompt.md")).toMatch(/^<coxswain-run>\n[^]*<\/coxswain-run>\n[^]*@stderr a word aside/);
  const file = (name: string) => readFileSync(join(dir, name), "utf8");
  expect(file("agent-stderr.txt")).toContain("a word aside\n");
  expect(file("agent-stdout.txt")).toContain('"jsonrpc"');
  expect(file("output.md")).toBe("my summary\n");
});

test("without a summary or a last word output.md is a copy of stdout; a failed run has its files as well", async () => {
  const made = scene();
  expect((await made.cox([...demo, "--", "@sleep 1"])).code).toBe(0);
  expect((await made.cox([...demo, "--", "@crash 3"])).code).toBe(3);
  const [silent, crashed] = made.runs();
  const read = (name: string) => readFileSync(join(silent?.dir ?? "", name), "utf8");
  expect(read("output.md")).toBe(read("agent-stdout.txt"));
  expect(crashed?.info).toMatchObject({ status: "failed", exit_code: 3 });
  for (const key of ["prompt_path", "output_path", "stdout_path", "stderr_path"] as const) {
    expect(existsSync(crashed?.info?.[key] ?? ""), key).toBe(true);
  }
});
