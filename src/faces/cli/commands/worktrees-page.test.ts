import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gitHome, gitRepository } from "../../../../test/support/git-repository.ts";
import { takeCheckpoint } from "../../../core/workspaces/checkpoints/checkpoint.ts";
import { openWorkspace } from "../../../core/workspaces/checkpoints/workspace.ts";
import { createWorktree } from "../../../core/workspaces/worktrees/worktree.ts";
import { type CommandSpec, runCommand } from "../../../lib/command/command.ts";
import { testContext } from "../testing/test-context.ts";
import { TestHome } from "../testing/test-home.ts";
import diff from "./diff.ts";
import gc from "./gc.ts";
import merge from "./merge.ts";
import undo from "./undo.ts";

const home = new TestHome();
beforeAll(() => {
  gitHome();
});
afterAll(() => home.remove());

const page = readFileSync(join(import.meta.dirname, "../../../../docs/user/worktrees.md"), "utf8");
const shown = [...page.matchAll(/```sh\n([^]*?)```/g)].flatMap(([, block = ""]) => block.trim().split("\n"));
const specs: Record<string, CommandSpec> = { diff, gc, merge, undo };

/** Words as a shell takes them, as far as the page goes. */
const wordsOf = (line: string) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");

test("the page's commands work, in their order", async () => {
  const repository = gitRepository();
  const names = { home: home.root, project: "proj", task: "fix-login" };
  const { record } = await createWorktree({ ...names, repository: repository.root });
  const run = home.addRun([], { cwd: record.path });
  const workspace = await openWorkspace(record.path, home.root);
  if (workspace === undefined) throw new Error("not a repository");
  await takeCheckpoint(workspace, run.id, 0);
  writeFileSync(join(record.path, "login.txt"), "fixed\n");
  await takeCheckpoint(workspace, run.id, 1);

  const [first = "", ...lines] = shown;
  expect(wordsOf(first).slice(0, 3)).toEqual(["cox", "run", "--worktree"]);
  expect(lines.length).toBe(10);
  for (const line of lines) {
    const [cox, name = "", ...args] = wordsOf(line);
    const spec = specs[name];
    if (spec === undefined) throw new Error(`${line}: not a command of this page`);
    expect([line, cox, await runCommand(spec, args, testContext({ env: home.env }))]).toEqual([line, "cox", 0]);
  }
  expect(repository.git("log", "-1", "--format=%s")).toBe("Fix the login test");
  expect(readFileSync(join(repository.root, "login.txt"), "utf8")).toBe("fixed\n");
});
