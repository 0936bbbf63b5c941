import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, type Scene, scene, until } from "../support/cox.ts";
import { gitFolder } from "../support/git-repository.ts";
import { openTerminal } from "../support/terminal.ts";

const chat = (made: Scene, ...args: string[]) =>
  openTerminal([process.execPath, join(root, "bin/cox"), "chat", ...args], {
    cwd: made.workspace,
    env: { ...made.env, NO_COLOR: "1" },
  });
const over = (made: Scene) =>
  until(() => readdirSync(join(made.home, "hosts")).every((name) => !name.endsWith(".json")));

test("a chat: prompts, /model and /mode, Esc interrupts, leaving ends nothing, and it goes on later", async () => {
  const made = scene();
  const first = await chat(made, "--agent", "demo");
  await first.shows(/>/);
  first.type("@say hello there\r");
  await first.shows(/hello there\r?\n/);
  first.type("/model\r");
  await first.shows(/model: demo-fast; there are demo-fast, demo-smart/);
  first.type("/model demo-smart\r");
  await first.shows(/model: demo-smart/);
  first.type("/mode yolo\r");
  await first.shows(/mode: yolo/);
  first.type("@model\r");
  await first.shows(/demo-smart/);
  first.type("@slow 500 50\r");
  await first.shows(/tick 2/);
  first.type("\x1b");
  await first.shows(/interrupted/);
  first.type("\x04");
  expect((await first.exited).code).toBe(0);
  expect(first.bytes().toString()).toMatch(/left; run \S+ goes on/);

  // Its run is ended by somebody else: the next message goes on in another, with what was set.
  await made.cox(["stop", "latest"]);
  const second = await chat(made, "latest");
  await second.shows(/your next message goes on with it/);
  second.type("@memory\r");
  await second.shows(/@say hello there/);
  second.type("@model\r");
  await second.shows(/demo-smart/);
  second.type("\x04");
  expect((await second.exited).code).toBe(0);
  expect(made.runs().map(({ info }) => info?.resumes)).toEqual(["", made.runs()[0]?.info?.run_id]);
  await made.cox(["stop", "latest"]);
  await over(made);
});

test("a chat in which nothing was said leaves nothing behind", async () => {
  const made = scene();
  const terminal = await chat(made, "--agent", "demo");
  await terminal.shows(/>/);
  terminal.type("\x04");
  expect((await terminal.exited).code).toBe(0);
  await over(made);
  expect((await made.cox(["ls"])).stderr).toContain("no runs");
  expect((await made.cox(["task", "ls"])).stderr).toContain("no tasks");
});

test("a chat that somebody else has begun to talk in goes on", async () => {
  const made = scene();
  const terminal = await chat(made, "--agent", "demo");
  await terminal.shows(/>/);
  expect((await made.cox(["prompt", "latest", "@say from elsewhere"])).code).toBe(0);
  await terminal.shows(/from elsewhere/);
  terminal.type("\x04");
  expect((await terminal.exited).code).toBe(0);
  expect((await made.cox(["ls"])).stdout).toMatch(/idle +\S+ +\S+ +1 .*@say from elsewhere/);
  await made.cox(["stop", "latest"]);
  await over(made);
  // Without a worktree of its own there is nothing to review.
  expect((await made.cox(["review"])).stderr).toBe("no task is in review\n");
});

test("cox rules lists what was decided for good, and revokes it", async () => {
  const made = scene();
  expect((await made.cox(["rules", "ls"])).stderr).toContain("no rules");
  const { makeRule } = await import("../../src/core/store/rules.ts");
  const { openHome } = await import("../../src/core/store/home.ts");
  const draft = { decision: "allow", kind: "execute", match: "git status", project: "", agent: "demo" } as const;
  const { id } = makeRule(openHome(made.home), draft, "ada", Date.now());
  expect((await made.cox(["rules"])).stdout).toMatch(/allow +execute +all +demo +ada +git status/);
  const [listed] = (await made.cox(["rules", "ls", "--json"])).stdout.trim().split("\n");
  expect(JSON.parse(listed ?? "")).toMatchObject({ id, ...draft });
  expect((await made.cox(["run", "--agent", "demo", "@run git status"])).stdout).not.toContain("denied");
  expect((await made.cox(["rules", "rm", id])).stdout).toContain(`revoked ${id}`);
  expect((await made.cox(["rules", "rm", id])).code).toBe(1);
  expect((await made.cox(["rules", "sing"])).code).toBe(2);
});

test("the first turn of a chat can be undone", async () => {
  const made = scene();
  const repository = gitFolder(made.workspace);
  repository.git("init", "-q");
  writeFileSync(join(made.workspace, "note.txt"), "as it was\n");
  const terminal = await chat(made, "--agent", "demo", "--permissions", "allow");
  await terminal.shows(/>/);
  terminal.type("@edit note.txt changed\r");
  await until(() => readFileSync(join(made.workspace, "note.txt"), "utf8").startsWith("changed"));
  terminal.type("@say all done\r");
  await terminal.shows(/all done\r?\n/);
  terminal.type("\x04");
  expect((await terminal.exited).code).toBe(0);
  await made.cox(["stop", "latest"]);
  await over(made);
  expect((await made.cox(["show", "latest"])).stdout).toMatch(/changes +1 file/);
  const { code, stderr } = await made.cox(["undo", "latest", "--yes"]);
  expect(code, stderr).toBe(0);
  expect(readFileSync(join(made.workspace, "note.txt"), "utf8")).toBe("as it was\n");
});
