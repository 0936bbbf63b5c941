import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { nodeFolders, programFolders } from "./programs.ts";

function files(...names: string[]): string {
  const folder = realpathSync(temporaryFolder());
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), "");
  }
  return folder;
}

test("a single file needs itself alone, not the folders above its bin", () => {
  const home = files(".local/bin/agent", ".local/share/keyrings/login");
  expect(programFolders(join(home, ".local/bin/agent"))).toEqual([join(home, ".local/bin/agent")]);
});

test("an npm package needs all packages installed with it", () => {
  const home = files("lib/node_modules/@a/agent/node_modules/b/cli.js", "bin/.keep");
  symlinkSync("../lib/node_modules/@a/agent/node_modules/b/cli.js", join(home, "bin/agent"));
  expect(programFolders(join(home, "bin/agent"))).toEqual([join(home, "lib/node_modules")]);
});

test("a Python program needs its environment", () => {
  const home = files("venvs/agent/bin/agent", "venvs/agent/pyvenv.cfg", "bin/.keep");
  symlinkSync("../venvs/agent/bin/agent", join(home, "bin/agent"));
  expect(programFolders(join(home, "bin/agent"))).toEqual([join(home, "venvs/agent")]);
});

test("Node comes with what is installed beside it", () => {
  const prefix = files("v20/bin/node", "v20/lib/node_modules/npm/cli.js", "v20/share/doc");
  const folders = ["bin", "lib/node_modules"].map((name) => join(prefix, "v20", name));
  expect(nodeFolders(join(prefix, "v20/bin/node"))).toEqual(folders);
  expect(nodeFolders(join(files("bin/node"), "bin/node"))).toHaveLength(1);
});
