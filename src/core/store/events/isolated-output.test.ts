import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { runPaths } from "../runs/run-directory.ts";
import { takeIsolatedOutput } from "./isolated-output.ts";

function stage() {
  const task = temporaryFolder();
  const paths = runPaths(join(task, "runs", "r1"));
  const handed = join(paths.dir, "handed");
  mkdirSync(handed, { recursive: true });
  const read = (path: string) => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return undefined;
    }
  };
  const take = () => {
    takeIsolatedOutput(paths, task);
    return { output: read(paths.output), done: read(join(task, "DONE")) };
  };
  return { task, handed, take };
}

describe("what an isolated agent leaves", () => {
  test("is taken: its summary, and that the task is done", () => {
    const { handed, take } = stage();
    writeFileSync(join(handed, "output.md"), "all is well\n");
    writeFileSync(join(handed, "DONE"), "ignored");
    expect(take()).toEqual({ output: "all is well\n", done: "" });
  });

  test("may be nothing", () => {
    expect(stage().take()).toEqual({ output: undefined, done: undefined });
  });

  test("is not followed where it is a link, nor read where it is a folder", () => {
    const { task, handed, take } = stage();
    writeFileSync(join(task, "secret"), "secret");
    symlinkSync(join(task, "secret"), join(handed, "output.md"));
    mkdirSync(join(handed, "DONE"));
    expect(take()).toEqual({ output: undefined, done: undefined });
  });

  test("is cut, where it would fill the disk", () => {
    const { handed, take } = stage();
    writeFileSync(join(handed, "output.md"), "");
    truncateSync(join(handed, "output.md"), 40 * 1024 * 1024);
    expect(take().output?.length).toBe(16 * 1024 * 1024);
  });
});
