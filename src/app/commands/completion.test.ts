import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { postRunStart, postTaskChange } from "../../core/store/bus/lifecycle.ts";
import { testContext } from "../../faces/cli/testing/test-context.ts";
import { begin, opened, permission } from "../../faces/cli/testing/test-events.ts";
import { TestHome } from "../../faces/cli/testing/test-home.ts";
import { type CommandSpec, runCommand } from "../../lib/command/command.ts";
import completion from "./completion.ts";

let home: TestHome;
beforeEach(() => {
  home = new TestHome();
});
afterEach(() => home.remove());

async function cox(cwd: string, ...args: string[]): Promise<string> {
  const context = testContext({ env: home.env, cwd });
  expect(await runCommand(completion as CommandSpec, args, context)).toBe(0);
  return context.out();
}
const scripts = new Map<string, Promise<string>>();
function script(shell: string): Promise<string> {
  const made = scripts.get(shell) ?? cox("/", shell);
  scripts.set(shell, made);
  return made;
}

/** A `cox` that says what it was asked, instead of being one. */
function fakeCox(says: string): string {
  const folder = temporaryFolder();
  const file = join(folder, "cox");
  writeFileSync(file, `#!/bin/sh\necho "$@" >> ${folder}/asked\nprintf '${says}'\n`);
  chmodSync(file, 0o755);
  return folder;
}

const SAYS = "r12\\tdemo: fix it\\nr11\\tclaude\\nlatest\\t\\nother\\t\\n";

describe("bash", () => {
  /** What bash offers after these words; the last one is being typed. */
  async function offered(words: string[], bin = fakeCox(SAYS)): Promise<string[]> {
    const line = words.map((word) => `'${word}'`).join(" ");
    const text = `${await script("bash")}\nCOMP_WORDS=(${line})\nCOMP_CWORD=${words.length - 1}\n_cox\necho "\${COMPREPLY[@]}"`;
    const env = { PATH: `${bin}:${process.env.PATH}` };
    return execFileSync("bash", ["--norc", "-c", text], { encoding: "utf8", env }).trim().split(" ").filter(Boolean);
  }

  test("completes commands and their options", async () => {
    expect(await offered(["cox", "ver"])).toEqual(["version"]);
    expect(await offered(["cox", ""])).toEqual(expect.arrayContaining(["run", "ls", "answer", "help"]));
    expect(await offered(["cox", ""])).not.toContain("host");
    expect(await offered(["cox", "ls", "--st"])).toEqual(["--status"]);
    expect(await offered(["cox", "logs", "-"])).toEqual(expect.arrayContaining(["--follow", "-f", "--raw", "--help"]));
    expect(await offered(["cox", "help", "inb"])).toEqual(["inbox"]);
  });

  test("completes what a command can do, and the options of that", async () => {
    expect(await offered(["cox", "task", "s"])).toEqual(["show", "start", "stop", "send-back"]);
    expect(await offered(["cox", "task", "create", "--de"])).toEqual(["--depends-on"]);
    expect(await offered(["cox", "task", "ls", "--de"])).toEqual([]);
    expect(await offered(["cox", "k8s", "logs", "--fo"])).toEqual(["--follow"]);
  });

  test.each([
    [["cox", "show", "r1"], "runs", ["r12", "r11"]],
    [["cox", "answer", "r1"], "requests +allow +always +deny", ["r12", "r11"]],
    [["cox", "merge", ""], "runs tasks", ["r12", "r11", "latest", "other"]],
    [["cox", "task", "start", "o"], "tasks", ["other"]],
    [["cox", "run", "--agent", "o"], "agents", ["other"]],
    [["cox", "run", "-p", "o"], "profiles", ["other"]],
    [["cox", "run", "--agent", "claude", "-m", "o"], "models", ["other"]],
    [["cox", "run", "--base", "="], "branches", ["r12", "r11", "latest", "other"]],
    [["cox", "run", "--resume", "=", "la"], "runs", ["latest"]],
    [["cox", "run", "--network", "o"], "+on +off", ["other"]],
    [["cox", "run", "--permissions", "o"], "+ask +allow +deny", ["other"]],
    [["cox", "run", "--on", "o"], "+local +sandbox +container +kubernetes", ["other"]],
    [["cox", "review", "o"], "reviews", ["other"]],
    [["cox", "profile", "show", "o"], "profiles", ["other"]],
    [["cox", "agent", "show", "o"], "agents", ["other"]],
  ])("%j asks for %s", async (words, kinds, expected) => {
    const bin = fakeCox(SAYS);
    expect((await offered(words, bin)).toSorted()).toEqual(expected.toSorted());
    expect(readFileSync(join(bin, "asked"), "utf8")).toBe(`completion values ${kinds} -- ${words.join(" ")}\n`);
  });

  test.each([
    ["a free text asks for nothing", ["cox", "run", "fix"]],
    ["what is on a cluster neither", ["cox", "k8s", "logs", "f"]],
    ["nor a message", ["cox", "merge", "x", "-m", "f"]],
  ])("%s", async (_, words) => {
    const bin = fakeCox(SAYS);
    await offered(words, bin);
    expect(existsSync(join(bin, "asked"))).toBe(false);
  });
});

describe("zsh and fish", () => {
  test.each([
    [
      "zsh",
      "'--status[only running (at work), waiting (for you), idle, completed or failed ones]:STATUS: _cox_values +running +waiting +idle +completed +failed'",
    ],
    ["zsh", "]:DIR:_files'"],
    ["zsh", "'send-back:Say what is still missing; the agent goes on.'"],
    ["zsh", "'*:word: _cox_values requests +allow +always +deny'"],
    [
      "fish",
      "complete -c cox -n '__fish_seen_subcommand_from task; and __fish_seen_subcommand_from create' -l priority -r",
    ],
    ["fish", "complete -c cox -n '__fish_seen_subcommand_from ls' -l limit -s n -r -d 'how many (20)'"],
    ["fish", "complete -c cox -n '__fish_seen_subcommand_from show' -f -k -a '(__cox_values runs)'"],
  ])("%s", async (shell, line) => {
    expect(await script(shell)).toContain(line);
  });

  test.each([
    ["show", "runs"],
    ["answer", "requests +allow +always +deny"],
  ])("zsh completes the words of %s", async (command, kinds) => {
    const folder = fakeCox(SAYS);
    const file = join(folder, "script");
    writeFileSync(file, await script("zsh"));
    // Its own completion needs a terminal: stand-ins for what it is told do it, and show what would be offered.
    const stand = [
      "compdef() { :; }",
      '_arguments() { eval "${argv[-1]##*:}"; }',
      '_describe() { print -l -- "${(@P)argv[-1]}"; }',
    ].join("\n");
    const text = `${stand}\nsource ${file}\nwords=(cox ${command} r)\nCURRENT=3\n_cox`;
    const said = execFileSync("zsh", ["-fc", text], {
      encoding: "utf8",
      env: { PATH: `${folder}:${process.env.PATH}` },
    });
    expect(said.trim().split("\n")).toEqual(["r12:demo: fix it", "r11:claude", "latest:", "other:"]);
    expect(readFileSync(join(folder, "asked"), "utf8")).toBe(`completion values ${kinds} -- ${command} r\n`);
  });

  test("fish completes runs, commands and agents", async () => {
    const folder = fakeCox(SAYS);
    const file = join(folder, "script.fish");
    writeFileSync(file, await script("fish"));
    const offered = (line: string) =>
      execFileSync("fish", ["--no-config", "-c", `source ${file}; complete -C '${line}'`], {
        encoding: "utf8",
        env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder },
      })
        .trim()
        .split("\n");
    expect(offered("cox show r1")).toEqual(["r12\tdemo: fix it", "r11\tclaude"]);
    expect(offered("cox run --agent oth")).toEqual(["other"]);
    expect(offered("cox answ")).toEqual(["answer\tanswer what an agent asks"]);
  });
});

describe("values", () => {
  const names = async (kind: string, ...line: string[]) =>
    (await cox(home.root, "values", kind, "--", "cox", ...line))
      .split("\n")
      .filter(Boolean)
      .map((row) => row.split("\t")[0]);

  test("runs, the newest first, and what waits in them", async () => {
    home.addRun([], {}, "fix\tthe parser");
    await home.addLiveRun([opened, begin, permission("p0", "make")]);
    expect(await cox("/", "values", "runs")).toBe(
      "latest\tdemo: a title\nr2\tdemo: a title\nr1\tdemo: fix the parser\n",
    );
    expect(await cox("/", "values", "requests", "+allow")).toBe("r2.p0\tRun make\nallow\t\n");
  });

  test("tasks, by project where the name is not enough", async () => {
    home.addRun();
    expect(await names("tasks")).toEqual(["task"]);
    home.addRun([], { project_id: "other" });
    expect(await names("tasks")).toEqual(["proj/task", "other/task"]);
  });

  test("of tasks to review only those that are in review", async () => {
    const { info } = home.addRun();
    const { project_id: project, task_id: task, run_id: run } = info;
    expect(await names("reviews")).toEqual([]);
    postRunStart(home.home, info, { review: true, resumed: false, title: "" }, Date.now());
    postTaskChange(home.home, { project, task, run }, { to: "review", cause: "complete" }, Date.now());
    expect(await names("reviews")).toEqual(["task"]);
  });

  test("agents, and the models of the one that is named", async () => {
    expect(await names("agents")).toEqual(expect.arrayContaining(["claude", "codex", "demo"]));
    const all = await names("models", "run");
    const claude = await names("models", "run", "--agent", "claude", "-m", "");
    expect(claude.length).toBeGreaterThan(0);
    expect(all.length).toBeGreaterThan(claude.length);
    expect(await names("models", "run", "--agent=claude")).toEqual(claude);
    expect(await names("models", "run", "-a", "=", "claude")).toEqual(claude);
  });

  test("branches; what a shell would take for more than a name is left out", async () => {
    const at = temporaryFolder();
    const git = (...args: string[]) => execFileSync("git", ["-C", at, ...args], { encoding: "utf8" });
    git("init", "-qb", "main");
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x", "--allow-empty");
    git("branch", "fix/login");
    git("branch", "$(touch${IFS}oops)");
    const said = await cox("/", "values", "branches", "--", "cox", "run", "-C", at, "--base", "");
    expect(said.split("\n").filter(Boolean).toSorted()).toEqual(["fix/login\t", "main\t"]);
  });
});

test("another shell is misuse", async () => {
  await expect(cox("/", "csh")).rejects.toThrow("use bash, zsh, fish");
});
