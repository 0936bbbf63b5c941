import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { pinsOf } from "./pins.ts";

const nothing = { gitlinks: [], nested: [], closed: [] };

function words(workspace: string, wishes: Partial<typeof nothing> | Record<string, string[]>) {
  const { missing, shown } = pinsOf(workspace, { ...nothing, ...wishes });
  const short = (path: string) => path.slice(workspace.length + 1);
  return {
    missing: missing.map(short),
    shown: shown.map(({ target, write }) => `${short(target)}${write ? " rw" : ""}`),
  };
}

test("every folder on the way is held, and what is at its end can't be written", () => {
  const workspace = temporaryFolder();
  for (const path of ["libs/one", "two", "vendor/copy/.git", ".husky"])
    mkdirSync(join(workspace, path), { recursive: true });
  writeFileSync(join(workspace, "libs/one/.git"), "gitdir: x\n");
  expect(words(workspace, { gitlinks: ["libs/one", "two", "gone/three"] })).toEqual({
    missing: ["gone", "gone/three"],
    shown: ["libs rw", "libs/one rw", "libs/one/.git", "two", "gone rw", "gone/three"],
  });
  expect(words(workspace, { nested: [join(workspace, "vendor/copy/.git")] }).shown).toEqual([
    "vendor rw",
    "vendor/copy rw",
    "vendor/copy/.git",
  ]);
  mkdirSync(join(workspace, ".bare"));
  expect(words(workspace, { nested: [join(workspace, ".bare")] }).shown).toEqual([".bare"]);
  writeFileSync(join(workspace, "config"), "");
  const closed = [join(workspace, ".husky"), join(workspace, "config")];
  expect(words(workspace, { closed }).shown).toEqual([".husky", "config"]);
});

test("a link on the way, or a file, is refused", () => {
  const workspace = temporaryFolder();
  symlinkSync("/etc", join(workspace, "libs"));
  writeFileSync(join(workspace, "file"), "");
  expect(() => words(workspace, { gitlinks: ["libs/one"] })).toThrow(`${workspace}/libs: is a link`);
  expect(() => words(workspace, { gitlinks: ["file"] })).toThrow("is not a folder");
  expect(words(workspace, { gitlinks: ["../outside"] }).shown).toEqual([]);
});
