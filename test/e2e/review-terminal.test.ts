import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Scene, scene, until } from "../support/cox.ts";
import { gitFolder } from "../support/git-repository.ts";
import { Tmux } from "../support/tmux.ts";

const shows = (terminal: Tmux, what: string) => until(() => terminal.screen().includes(what));
/** Longer than the keys of something new rest. */
const rested = () => new Promise((resolve) => setTimeout(resolve, 700));

async function cox(made: Scene, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await made.cox(args);
  if (code !== 0) throw new Error(`cox ${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** A task in review, with work in a worktree of its own. */
async function inReview(made: Scene, task: string, script: string): Promise<void> {
  await cox(made, "task", "create", "--review", "--task", task, "--agent", "demo", "--title", `Title of ${task}`, "x");
  await cox(made, "run", "-q", "--worktree", "--agent", "demo", "--permissions", "allow", "--task", task, "@say begun");
  await cox(made, "task", "send-back", task, script);
  await cox(made, "wait", "latest");
}

const states = async (made: Scene) =>
  Object.fromEntries(
    (await cox(made, "task", "ls", "--json"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .map(({ task, state }) => [task, state]),
  );

test("one is merged, one conflicts and is dropped, one is sent back", async () => {
  const made = scene();
  const repository = gitFolder(made.workspace);
  repository.git("init", "-q", "-b", "main");
  repository.git("config", "user.name", "Ann");
  repository.git("config", "user.email", "ann@example.com");
  repository.commit("first", { "a.txt": "one\n" });
  await inReview(made, "good", "@edit good.txt all good\n@say I made good.txt.");
  await inReview(made, "stale", "@edit a.txt two\n@say I changed a.txt.");
  await inReview(made, "vague", "@edit vague.txt hm\n@say Is it enough?");
  repository.commit("meanwhile", { "a.txt": "three\n" });
  const terminal = new Tmux(made, {}, { columns: 60, rows: 16 });

  terminal.type('cox review; echo "left with $?"');
  await shows(terminal, "I made good.txt.");
  terminal.key("d");
  await shows(terminal, "+all good");
  terminal.key("d");
  await rested();
  terminal.key("m");
  await shows(terminal, "> Title of good");
  terminal.key("Enter");
  terminal.key("m"); // what is pressed too early is not for the next one
  terminal.key("Enter");
  await shows(terminal, "I changed a.txt.");
  expect(repository.git("log", "--format=%s")).toBe("Title of good\nmeanwhile\nfirst");
  expect(existsSync(join(made.workspace, "good.txt"))).toBe(true);

  await rested();
  terminal.key("m");
  await shows(terminal, "> Title of stale");
  terminal.key("Enter");
  await shows(terminal, "conflicts in a.txt; your branch is as it was");
  await shows(terminal, "[m]erge");
  expect(repository.git("log", "-1", "--format=%s")).toBe("Title of good");
  await rested();
  terminal.key("x");
  await shows(terminal, "give");
  await rested();
  terminal.key("y");
  await shows(terminal, "dropped with cox/stale");

  await shows(terminal, "Is it enough?");
  await rested();
  terminal.key("s");
  await shows(terminal, "what is missing?");
  terminal.type("@edit vague.txt clear");
  await shows(terminal, "sent back;");
  await until(async () => (await states(made)).vague === "review");
  expect(await states(made)).toEqual({ good: "done", stale: "cancelled", vague: "review" });
  expect(repository.git("branch", "--format=%(refname:short)")).not.toContain("cox/stale");
  terminal.key("C-c");
  await shows(terminal, "left with 0");
  await until(() => readdirSync(join(made.home, "hosts")).length === 0);
});

test("without a terminal it says what there is, and what to type", async () => {
  const made = scene();
  await cox(made, "task", "create", "--review", "--task", "docs", "--agent", "demo", "@say done");
  await cox(made, "task", "start", "docs");
  await cox(made, "wait", "latest");
  const said = await cox(made, "review");
  expect(said).toMatch(/\/docs: @say done\n {2}in review for \d+s, demo \S+ completed\n/);
  expect(said).toMatch(/accept: {4}cox task done \S+\/docs\n/);
  await cox(made, "task", "done", "docs");
  expect(await made.cox(["review"])).toMatchObject({ stdout: "", stderr: "no task is in review\n" });
  expect((await made.cox(["review", "docs"])).stderr).toContain("is done, so there is nothing to review");
});
