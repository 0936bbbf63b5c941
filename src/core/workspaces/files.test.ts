import { closeSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { gitHome, gitRepository } from "../../../test/support/git-repository.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { listFolder, openInside, searchFiles } from "./files.ts";

beforeAll(() => {
  gitHome();
});

describe("the files of a workspace", () => {
  test("a folder: folders first, links as links", () => {
    const { root, write } = gitRepository({ "b.txt": "b\n", "src/a.ts": "a\n" });
    write({ "a.txt": "123" });
    symlinkSync("/etc", join(root, "etc"));
    const { entries, truncated } = listFolder(root, "");
    expect(entries.map(({ name, type }) => `${type} ${name}`)).toEqual([
      "folder .git",
      "folder src",
      "file a.txt",
      "file b.txt",
      "link etc",
    ]);
    expect(entries.find(({ name }) => name === "a.txt")?.size).toBe(3);
    expect(truncated).toBe(false);
  });

  test.each([["../out.txt"], ["/etc/passwd"], ["etc/passwd"], ["out"], ["a\0b"]])("nothing outside it: %j", (path) => {
    const { root } = gitRepository();
    writeFileSync(join(root, "../out.txt"), "secret");
    symlinkSync("/etc", join(root, "etc"));
    symlinkSync("../out.txt", join(root, "out"));
    expect(() => closeSync(openInside(root, path))).toThrow(/outside the workspace/);
  });

  test("a search finds names before paths, and leaves out what is ignored", async () => {
    const { root, write } = gitRepository({ ".gitignore": "dist\n", "src/login.ts": "", "login/other.ts": "" });
    write({ "dist/login.js": "", "src/lo-gi-n.ts": "" });
    expect(await searchFiles(root, "login", 10)).toEqual(["src/login.ts", "login/other.ts", "src/lo-gi-n.ts"]);
    expect(await searchFiles(root, "login", 1)).toEqual(["src/login.ts"]);
  });

  test("a search without git leaves out dependencies and what is hidden", async () => {
    const root = temporaryFolder();
    for (const folder of ["src", "node_modules", ".cache"]) {
      mkdirSync(join(root, folder));
      writeFileSync(join(root, folder, "note.md"), "");
    }
    expect(await searchFiles(root, "note", 10)).toEqual(["src/note.md"]);
  });
});
