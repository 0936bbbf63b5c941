import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { asItIs } from "./mount.ts";
import { requireBubblewrap, sandboxArguments, sandboxExecutor } from "./sandbox.ts";

describe("bubblewrap", () => {
  const fake = (script: string) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "bwrap"), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, "bwrap"), 0o755);
    return { PATH: folder };
  };

  test("that is missing is named by its package", async () => {
    await expect(requireBubblewrap({ PATH: temporaryFolder() })).rejects.toMatchObject({
      code: "agent.not_ready",
      message: expect.stringContaining("install the package bubblewrap: apt-get install bubblewrap"),
    });
  });

  test("that may not make a sandbox here says what has to be allowed", async () => {
    const env = fake("echo 'bwrap: No permissions to create a new namespace' >&2; exit 1");
    await expect(requireBubblewrap(env)).rejects.toMatchObject({
      code: "agent.not_ready",
      message: expect.stringMatching(/can't make one here \(bwrap: No permissions.*\); allow user namespaces/),
    });
  });

  test("that works is used; elsewhere than on Linux there is none", async () => {
    const env = fake("exit 0");
    expect(await requireBubblewrap(env)).toBe(join(env.PATH, "bwrap"));
    await expect(requireBubblewrap(env, "darwin")).rejects.toMatchObject({ code: "platform.unsupported" });
  });
});

test("its command has nothing of the machine's that isn't a layer, and closes what is emptied last", () => {
  const layers = [asItIs("/usr", false), { target: "/w/state", empty: "read-only" as const }, asItIs("/w", true)];
  const args = sandboxArguments({ layers, network: false, cwd: "/w", marker: "M", command: ["agent", "-x"] }).join(" ");
  expect(args).toMatch(/^--unshare-pid .*--unshare-net --die-with-parent --cap-drop ALL /);
  expect(args).toContain(
    "--ro-bind /usr /usr --tmpfs /w/state --bind /w /w --remount-ro /w/state --remount-ro / --chdir /w",
  );
  expect(args).toMatch(/ sh M agent -x$/);
});

test("a link that an earlier run left where something is to be shown is not followed", async () => {
  const folder = temporaryFolder();
  const kept = join(folder, "kept");
  const workspace = join(folder, "home/project");
  for (const path of [kept, workspace, join(folder, "elsewhere")]) mkdirSync(path, { recursive: true });
  symlinkSync(join(folder, "elsewhere"), join(kept, "project"));
  const executor = sandboxExecutor({
    bwrap: "/bin/true",
    workspace,
    git: () => Promise.resolve([]),
    home: join(folder, "home"),
    keptHome: kept,
    mounts: [],
    secret: [],
    network: true,
    own: { node: process.execPath, package: folder },
  });
  const spec = { file: "/bin/true", args: [], cwd: workspace, env: {}, marker: { name: "COX_TEST", value: "1" } };
  const paths = { stdoutPath: join(folder, "out"), stderrPath: join(folder, "err") };
  await expect(executor.start({ ...spec, ...paths })).rejects.toMatchObject({
    code: "workspace.invalid",
    message: expect.stringContaining(`${kept}/project: is a link`),
  });
});
