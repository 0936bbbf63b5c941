import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { takeCheckpoint } from "../../src/core/workspaces/checkpoints/checkpoint.ts";
import { undo } from "../../src/core/workspaces/checkpoints/undo.ts";
import { openWorkspace } from "../../src/core/workspaces/checkpoints/workspace.ts";
import { gitHome, gitRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

beforeAll(() => {
  gitHome();
});

/** The same numbers for the same seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Kind, x bit and content of each file; folders alone are nothing to git. */
function filesOf(root: string): Record<string, string> {
  const find = [".", "-name", ".git", "-prune", "-o", "-not", "-type", "d", "-print0"];
  const names = execFileSync("find", find, { cwd: root, encoding: "utf8" }).split("\0").slice(0, -1).sort();
  return Object.fromEntries(
    names.map((name) => {
      const stat = lstatSync(join(root, name));
      if (stat.isSymbolicLink()) return [name, `-> ${readlinkSync(join(root, name))}`];
      return [name, `${(stat.mode & 0o100) !== 0 ? "x" : "-"} ${readFileSync(join(root, name), "utf8")}`];
    }),
  );
}

const NAMES = ["a", "a/b", "a/b/c", "a/d", "e", "e/f", "g h", "é", "-i", "j\nk", "*", "crlf.txt"];

function disturb(root: string, random: (below: number) => number): void {
  const name = NAMES[random(NAMES.length)] ?? "";
  const path = join(root, name);
  // From the top, so that nothing is ever reached through a link.
  const parts = name.split("/").slice(0, -1);
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const folder = join(root, ...parts.slice(0, depth));
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(folder);
  }
  mkdirSync(dirname(path), { recursive: true });
  const action = random(6);
  if (action === 0) return rmSync(path, { recursive: true, force: true });
  if (action === 1 && lstatSync(path, { throwIfNoEntry: false })?.isFile())
    return chmodSync(path, random(2) === 0 ? 0o755 : 0o644);
  rmSync(path, { recursive: true, force: true });
  if (action === 2) return symlinkSync(random(2) === 0 ? "/nowhere/at/all" : "../e", path);
  writeFileSync(path, ["", "x\r\ny\n", `${random(1000)}\n`, "$Id$\n"][random(4)] ?? "");
}

/** What a person has beside the agent's files, and what they do to it meanwhile. */
const MINE = ["mine", "mine.d/a", "mine.d/b/c", "a.mine"];

function writeMine(root: string, random: (below: number) => number): void {
  const path = join(root, MINE[random(MINE.length)] ?? "");
  mkdirSync(dirname(path), { recursive: true });
  if (random(4) === 0) rmSync(path, { force: true });
  else writeFileSync(path, `mine ${random(1000)}\n`);
}

const split = (files: Record<string, string>) => {
  const isMine = ([name]: [string, string]) => MINE.includes(name.slice(2));
  const all = Object.entries(files);
  return {
    mine: Object.fromEntries(all.filter(isMine)),
    theirs: Object.fromEntries(all.filter((entry) => !isMine(entry))),
  };
};

test.each([1, 2, 3, 4])("any turn of the run comes back exactly, files of the person stay (seed %i)", async (seed) => {
  const random = randomFrom(seed);
  const { root } = gitRepository({ ".gitattributes": "*.txt text eol=crlf\n* ident\n", a: "a\n", "e/f": "f\n" });
  const workspace = await openWorkspace(root, temporaryFolder());
  if (workspace === undefined) throw new Error("not a repository");
  const run = "20260101-0000000000-0000001-0001";
  const states: Record<string, string>[] = [];
  for (let n = 0; n < 8; n += 1) {
    await takeCheckpoint(workspace, run, n);
    states.push(filesOf(root));
    for (let i = n < 7 ? random(6) : -1; i >= 0; i -= 1) disturb(root, random);
  }
  let at = 7;
  for (let i = 0; i < 8; i += 1) {
    for (let k = random(3); k > 0; k -= 1) writeMine(root, random);
    const { mine } = split(filesOf(root));
    const turn = random(states.length);
    const { left, saved } = await undo(workspace, run, { to: { turn } });
    expect([turn, left, split(filesOf(root))]).toEqual([turn, [], { theirs: states[turn], mine }]);
    if (saved !== undefined && random(3) === 0) {
      await undo(workspace, run, { to: "redo" });
      expect([turn, split(filesOf(root))]).toEqual([turn, { theirs: states[at], mine }]);
    } else at = turn;
  }
});

test.each([5, 6, 7, 8])("what was edited since is refused or as it was, never lost (seed %i)", async (seed) => {
  const random = randomFrom(seed);
  const { root } = gitRepository({ a: "a\n", "e/f": "f\n" });
  const workspace = await openWorkspace(root, temporaryFolder());
  if (workspace === undefined) throw new Error("not a repository");
  const run = "20260101-0000000000-0000001-0001";
  for (let n = 0; n < 3; n += 1) {
    await takeCheckpoint(workspace, run, n);
    for (let i = n < 2 ? random(6) : -1; i >= 0; i -= 1) disturb(root, random);
  }
  const worked = filesOf(root);
  for (let i = random(3); i >= 0; i -= 1) disturb(root, random);
  const before = filesOf(root);
  const done = await undo(workspace, run, { to: { turn: 0 } }).catch((error: unknown) => error);
  const now = filesOf(root);
  if (done instanceof Error)
    expect([done, now]).toEqual([expect.objectContaining({ code: "workspace.conflict" }), before]);
  // Whatever is not as the run left it is the person's.
  else
    for (const [name, text] of Object.entries(before))
      if (worked[name] !== text) expect([name, now[name]]).toEqual([name, text]);
});
