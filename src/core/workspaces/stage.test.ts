import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { gitHome, gitRepository } from "../../../test/support/git-repository.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { undo } from "./checkpoints/undo.ts";
import { openWorkspace } from "./checkpoints/workspace.ts";
import { commitFiles, discardFiles, stagedFiles, stageFiles } from "./stage.ts";

const RUN = "20260101-0000000000-0000001-0001";
const home = temporaryFolder();
beforeAll(() => {
  gitHome();
});

describe("a part of the work", () => {
  test("is staged and taken back", async () => {
    const { root, write, git } = gitRepository({ "a.txt": "1\n" });
    write({ "a.txt": "2\n", "*": "star\n", "b.txt": "b\n" });
    await stageFiles(root, ["a.txt", "*"], true);
    expect([...(await stagedFiles(root))].sort()).toEqual(["*", "a.txt"]);
    await stageFiles(root, ["*"], false);
    expect([...(await stagedFiles(root))]).toEqual(["a.txt"]);
    expect(git("status", "--porcelain")).toContain("?? b.txt");
  });

  test("is committed: named files only, the rest stays as it was", async () => {
    const { root, write, git } = gitRepository({ "a.txt": "1\n" });
    write({ "a.txt": "2\n", "new.txt": "n\n", "b.txt": "b\n" });
    git("add", "b.txt");
    const commit = await commitFiles(root, "Part\n\n# kept out", ["a.txt", "new.txt"]);
    expect(git("show", "--name-only", "--format=%s", commit).split("\n")).toEqual(["Part", "", "a.txt", "new.txt"]);
    expect(git("status", "--porcelain")).toBe("A  b.txt");
  });

  test("is committed: what is staged; with nothing staged that is said", async () => {
    const { root, write } = gitRepository({ "a.txt": "1\n" });
    await expect(commitFiles(root, "x", undefined)).rejects.toThrow("nothing is staged");
    write({ "a.txt": "2\n" });
    await stageFiles(root, ["a.txt"], true);
    await commitFiles(root, "Staged", undefined);
    expect([...(await stagedFiles(root))]).toEqual([]);
  });

  test("is given up, and comes back", async () => {
    const { root, write, git } = gitRepository({ "a.txt": "1\n", "keep.txt": "k\n" });
    write({ "a.txt": "2\n", "made/new.txt": "n\n", "keep.txt": "changed\n" });
    git("add", "made/new.txt");
    const workspace = await openWorkspace(root, home);
    if (workspace === undefined) throw new Error("not a repository");
    const { restored, deleted } = await discardFiles(workspace, RUN, ["a.txt", "made/new.txt"]);
    expect({ restored, deleted }).toEqual({ restored: ["a.txt"], deleted: ["made/new.txt"] });
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("1\n");
    expect(existsSync(join(root, "made"))).toBe(false);
    expect(git("status", "--porcelain")).toBe(" M keep.txt");
    await undo(workspace, RUN, { to: "redo" });
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("2\n");
    expect(readFileSync(join(root, "made/new.txt"), "utf8")).toBe("n\n");
  });

  test.each([["../x"], ["/etc/passwd"], [".git/config"], ["a/../../x"]])("is never elsewhere: %s", async (path) => {
    const { root } = gitRepository();
    await expect(stageFiles(root, [path], true)).rejects.toThrow("not a file of the workspace");
  });
});
