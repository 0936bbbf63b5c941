import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { VERSION } from "../../src/lib/base/version.ts";
import { root, scene } from "../support/cox.ts";

const manifest: { version: string; dependencies: object } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);

describe("the package", () => {
  test("knows its version", () => {
    expect(VERSION).toBe(manifest.version);
  });

  test("packed and installed in an empty folder, it runs the demo and can be imported", { timeout: 120_000 }, () => {
    const made = scene();
    const env = { ...process.env, HOME: made.folder, COX_HOME: made.home, DEMO_SPEED: "0" };
    const npm = (cwd: string, ...args: string[]) =>
      execFileSync("npm", args, { cwd, env, encoding: "utf8", stdio: "pipe" });
    const packed = npm(root, "pack", "--ignore-scripts", "--json", "--pack-destination", made.folder);
    const [{ filename, files }] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }];
    const foreign = files
      .map(({ path }) => path)
      .filter((path) => !/^(bin|dist)\/|^(package\.json|README\.md|LICENSE)$/.test(path));
    expect(foreign, "only what is meant to be in it").toEqual([]);
    const folder = join(made.folder, "user");
    mkdirSync(folder);
    npm(folder, "init", "-y");
    npm(folder, "install", "--no-audit", "--no-fund", join(made.folder, filename));
    const shown = execFileSync(join(folder, "node_modules/.bin/cox"), ["demo"], { cwd: folder, env, encoding: "utf8" });
    expect(shown).toContain("I am the demo agent");
    expect(shown).toContain("cox ls");
    const program = `import { createAgent } from "coxswain";
      const session = await createAgent({ type: "demo" }).open({ cwd: process.cwd() });
      const { finalResponse } = await session.run("@say from the library");
      await session.close();
      console.log(finalResponse);`;
    writeFileSync(join(folder, "try.mjs"), program);
    expect(execFileSync(process.execPath, ["try.mjs"], { cwd: folder, env, encoding: "utf8" })).toBe(
      "from the library\n",
    );
  });
});
