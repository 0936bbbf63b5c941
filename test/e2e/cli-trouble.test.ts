import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { finished, root, type Scene, scene } from "../support/cox.ts";
import { openTerminal } from "../support/terminal.ts";

const bin = join(root, "bin/cox");

/** A script of a shell in which `cox` is ours. */
function shell(made: Scene, script: string, env: NodeJS.ProcessEnv = {}) {
  const own = `cox() { '${process.execPath}' '${bin}' "$@"; }\n${script}`;
  return finished(spawn("sh", ["-c", own], { cwd: made.workspace, env: { ...made.env, ...env } }));
}

/** What a person sees when the place is wrong: what failed, for which thing, what to do; never a stack. */
describe("a place where it can't work", () => {
  test("a folder that was deleted: what needs none works, what needs one says so", async () => {
    const made = scene();
    const gone = 'mkdir gone && cd gone && rmdir "$PWD"';
    const listed = await shell(made, `${gone} && cox ls && cox help >/dev/null`);
    expect([listed.code, listed.stderr]).toEqual([0, 'no runs; start one with `cox run "…"`\n']);
    const refused = await shell(made, `${gone} && cox run --agent demo hi`);
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toBe("cox: this folder: is not there any more; go to another one with `cd`\n");
  });

  test("a state folder that is a file", async () => {
    const made = scene();
    const file = join(made.folder, "file");
    writeFileSync(file, "");
    for (const words of [["ls"], ["inbox"], ["task", "ls"], ["run", "--agent", "demo", "hi"]]) {
      const { code, stdout, stderr } = await made.cox(words, { env: { COX_HOME: file } });
      expect([code, stdout], words.join(" ")).toEqual([1, ""]);
      expect(stderr).toMatch(/^cox: folder .*: is not a folder; remove it, or choose another/);
    }
  });

  test("a folder for sockets that somebody else was first to make: nothing is started", async () => {
    const made = scene();
    const temporary = mkdtempSync("/tmp/cox-"); // a long TMPDIR would not be used at all
    onTestFinished(() => rmSync(temporary, { recursive: true }));
    const [home, folder] = [join(made.folder, "long".repeat(25)), join(temporary, `cox-${process.getuid?.()}`)];
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    const env = { COX_HOME: home, TMPDIR: temporary };
    for (const words of [["run"], ["run", "-d"]]) {
      const { code, stderr } = await made.cox([...words, "--agent", "demo", "--", "@say hi"], { env });
      expect([code, stderr]).toEqual([1, expect.stringContaining(`chmod 700 ${folder}`)]);
    }
    expect(existsSync(join(home, "projects"))).toBe(false);
  });

  test.skipIf(!existsSync("/dev/full"))("a disk that is full where the output goes is no success", async () => {
    const made = scene();
    const { code, stderr } = await shell(made, "cox version >/dev/full");
    expect([code, stderr]).toEqual([
      1,
      "cox: write the output: no space left on the disk (ENOSPC); free some space and try again\n",
    ]);
  });

  test("a reader that has seen enough is no error", async () => {
    const made = scene();
    await made.cox(["run", "--agent", "demo", "--", "@burst 200 2000"]);
    const { code, stderr } = await shell(made, "{ cox logs latest --json; echo $? >&2; } | head -1 >/dev/null");
    expect([code, stderr]).toEqual([0, "0\n"]);
  });
});

describe("words that were meant otherwise", () => {
  test.each([
    ["resume", "cox: cox resume: no such command; did you mean `cox run --resume RUN`?\n"],
    ["ps", "cox: cox ps: no such command; did you mean `cox ls`?\n"],
    ["log", "cox: cox log: no such command; did you mean `cox logs`?\n"],
    ["frobnicate", "cox: cox frobnicate: no such command; see `cox help`\n"],
    ["toString", "cox: cox toString: no such command; see `cox help`\n"],
    ["rnu", "cox: cox rnu: no such command; did you mean `cox run`?\n"],
    ["gc --keep -1", 'cox: --keep "-1": not a number of runs\n'],
    [
      "run --nope",
      "cox: cox run: --nope: no such option; if it is no option, write -- before it; see `cox run --help`\n",
    ],
    ["run --agnet x", "cox: cox run: --agnet: no such option; did you mean --agent?; see `cox run --help`\n"],
  ])("cox %s", async (words, said) => {
    const { code, stdout, stderr } = await scene().cox(words.split(" "));
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe(said);
  });

  test.each([
    [["prompt", "no-run", "- x"], "there is no such run"],
    [["answer", "no-run.p0", "deny", "--reason", "-no"], "there is no such run"],
    [["task", "send-back", "no-task", "- x"], "there is no such task"],
  ])("what begins with a dash is text: %j", async (args, said) => {
    expect((await scene().cox(args)).stderr).toContain(said);
  });

  test("nothing is used that is refused: the agent is named after what can fail", async () => {
    const { code, stderr } = await scene().cox(["run", "--worktree", "hello"]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/repository/);
    expect(stderr).not.toContain("using agent");
  });

  test("a prompt may be a list", async () => {
    const made = scene();
    const { code } = await made.cox(["run", "--agent", "demo", "- do this\n- and that"]);
    expect(code).toBe(0);
    expect((await made.cox(["logs", "latest"])).stdout).toContain("› - do this\n  - and that\n");
  });

  test("cox help shows a verb's own page", async () => {
    const made = scene();
    const [asked, said] = [await made.cox(["help", "k8s", "run"]), await made.cox(["k8s", "run", "--help"])];
    expect(asked).toEqual(said);
    expect(await made.cox(["k8s", "help", "run"])).toEqual(said);
    expect(asked.stdout).toContain("Usage: cox k8s run");
    expect((await made.cox(["help", "all"])).stdout).toContain("\n  translate ");
    expect((await made.cox(["help"])).stdout).not.toContain("translate");
  });
});

test("Ctrl-C is heard: the status says what the next one does", async () => {
  const made = scene();
  mkdirSync(join(made.workspace, "a-folder-with-a-name-so-long-that-the-first-line-has-no-room-for-the-run"));
  const argv = [process.execPath, bin, "run", "--agent", "demo", "--", "@hang"] as const;
  const cwd = join(made.workspace, "a-folder-with-a-name-so-long-that-the-first-line-has-no-room-for-the-run");
  const person = await openTerminal([...argv], { cwd, env: made.env, cols: 60, rows: 20 });
  await person.shows(/Ctrl-C interrupts/);
  // The name is whole, whatever else had to be cut: it is what one types in the other terminal.
  expect(person.bytes().toString()).toMatch(/run r1\b/);
  person.type("\x03");
  await person.shows(/Ctrl-C again stops the agent/);
  person.type("\x03");
  expect(await person.exited).toMatchObject({ code: 130 });
});
