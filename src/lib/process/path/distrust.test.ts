import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { runCommand } from "../command.ts";
import { DEFAULT_PATH, distrust, distrustAsListed, isDistrusted, ownPath, passedOver } from "./distrust.ts";
import { findExecutable } from "./executable.ts";

/** A workspace with programs of its own, and all the ways that a PATH can lead to them. */
const at = realpathSync(temporaryFolder());
const evil = join(at, "workspace/node_modules/.bin");
for (const folder of [evil, join(at, "own"), join(at, "links"), join(at, "beside")])
  mkdirSync(folder, { recursive: true });
for (const file of [join(evil, "tool"), join(evil, "only"), join(at, "own/tool"), join(at, "own/named")]) {
  writeFileSync(file, `#!/bin/sh\necho ${file}\n`);
  chmodSync(file, 0o755);
}
symlinkSync(evil, join(at, "links/bin"));
symlinkSync(join(at, "workspace"), join(at, "alias"));
symlinkSync(join(evil, "tool"), join(at, "beside/tool"));
symlinkSync(join(at, "own"), join(at, "workspace/out"));
symlinkSync(join(at, "workspace/out"), join(at, "links/around"));
distrust([join(at, "workspace")]);

afterEach(() => vi.unstubAllEnvs());

const ways = {
  "by its name": evil,
  "by another name of the workspace": join(at, "alias/node_modules/.bin"),
  "by a link to the folder": join(at, "links/bin"),
  "by dots": join(at, "own/../workspace/node_modules/.bin"),
  "by a link in the workspace that leads out of it, for now": join(at, "workspace/out"),
  "by a link to such a link": join(at, "links/around"),
};

describe("a folder that agents can write to", () => {
  test.each(Object.entries(ways))("gives us no program: %s", (_, entry) => {
    const path = `${entry}:${at}/own`;
    expect(findExecutable("tool", { path, cwd: "/" })).toBe(join(at, "own/tool"));
    expect(ownPath(path)).toBe(join(at, "own"));
    expect(passedOver(`${path}:${entry}`)).toEqual([entry]);
  });

  test("nor does a file elsewhere that is a link to it", () => {
    const path = `${at}/beside:${at}/own`;
    expect(findExecutable("tool", { path, cwd: "/" })).toBe(join(at, "own/tool"));
    expect(passedOver(path)).toEqual([]);
  });

  test("and it is said why a program that is only there is not found", () => {
    expect(() => findExecutable("only", { path: evil, cwd: "/" })).toThrow(
      expect.objectContaining({
        code: "agent.not_installed",
        message: expect.stringContaining(`${evil}/only, which agents can write to`),
      }),
    );
  });

  test("is no matter where a person names the file", () => {
    expect(findExecutable(join(evil, "tool"), { path: "", cwd: "/" })).toBe(join(evil, "tool"));
  });

  test("is not on the PATH of what we start", async () => {
    const options = { cwd: join(at, "workspace"), timeoutMs: 60_000 };
    const env = { PATH: `.:${evil}:${at}/own:/usr/bin:/bin` };
    const { stdout } = await runCommand("/bin/sh", ["-c", "tool"], { ...options, env });
    expect(stdout.toString()).toBe(`${at}/own/tool\n`);
    const { code } = await runCommand("/bin/sh", ["-c", "only"], { ...options, env });
    expect(code).toBe(127);
  });

  test("never leaves an empty PATH, which would be the current folder", () => {
    expect(ownPath(evil)).toBe(DEFAULT_PATH);
    expect(ownPath(":.:")).toBe(DEFAULT_PATH);
  });

  test("is never one that holds the person's home", () => {
    vi.stubEnv("HOME", join(at, "person/home"));
    mkdirSync(join(at, "person/home/bin"), { recursive: true });
    distrust(["/", join(at, "person"), join(at, "person/home")]);
    expect(isDistrusted(join(at, "person/home/bin"))).toBe(false);
    distrust([join(at, "person/home/project")]);
    expect(isDistrusted(join(at, "person/home/project/bin"))).toBe(true);
  });

  test("may become known while we run; a list that can't be read lets nothing pass", () => {
    const later: string[] = [];
    let readable = true;
    distrustAsListed(() => {
      if (!readable) throw new Error("damaged");
      return later;
    });
    const path = `${at}/own`;
    expect(isDistrusted(path)).toBe(false);
    readable = false;
    expect(() => ownPath(path)).toThrow("damaged");
    expect(() => findExecutable("named", { path, cwd: "/" })).toThrow("damaged");
    readable = true;
    later.push(join(at, "later"));
    expect(isDistrusted(join(at, "later/bin"))).toBe(true);
  });
});
