import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { findExecutable } from "./executable.ts";

const at = temporaryFolder();
for (const folder of ["first", "second", "workspace", "workspace/bin", "first/folder"]) mkdirSync(join(at, folder));
program("first/unusable", 0o644);
program("second/unusable", 0o755);
program("first/plain", 0o644);
program("second/both", 0o755);
program("first/both", 0o755);
program("second/folder", 0o755);
program("workspace/claude", 0o755);
program("workspace/bin/tool", 0o755);
symlinkSync("both", join(at, "first/link"));
symlinkSync("nowhere", join(at, "first/dangling"));

function program(path: string, mode: number): void {
  writeFileSync(join(at, path), "#!/bin/sh\n");
  chmodSync(join(at, path), mode);
}

const where = { path: `${at}/first:${at}/none:${at}/second`, cwd: join(at, "workspace") };

describe("findExecutable", () => {
  test.each([
    ["both", "first/both"],
    ["link", "first/link"],
    ["unusable", "second/unusable"],
    ["folder", "second/folder"],
    ["./claude", "workspace/claude"],
    ["bin/tool", "workspace/bin/tool"],
    ["../first/both", "first/both"],
    [`${at}/first/both`, "first/both"],
  ])("%s is %s", (name, found) => {
    expect(findExecutable(name, where)).toBe(join(at, found));
  });

  test.each([
    ["nothing", "agent.not_installed", "nothing: not found on PATH"],
    ["", "agent.not_installed", ": not found on PATH"],
    ["..", "agent.not_installed", "..: not found on PATH"],
    ["nul\0", "agent.not_installed", "not found on PATH"],
    ["dangling", "agent.not_installed", "dangling: not found on PATH"],
    ["plain", "agent.not_executable", `plain: ${at}/first/plain is not an executable file`],
    ["./none", "agent.not_installed", "./none: there is no such file"],
    ["./bin", "agent.not_executable", `./bin: ${at}/workspace/bin is not an executable file`],
  ])("%j: %s", (name, code, message) => {
    expect(() => findExecutable(name, where)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });

  test.each([".", "", "bin", "./bin"])("nothing comes from the workspace by PATH entry %j", (entry) => {
    for (const name of ["claude", "tool"]) {
      expect(() => findExecutable(name, { ...where, path: `${entry}:${where.path}:${entry}` })).toThrow(
        "not found on PATH",
      );
    }
  });

  test("without PATH nothing is found", () => {
    expect(() => findExecutable("sh", { path: undefined, cwd: "/" })).toThrow("not found on PATH");
  });
});
