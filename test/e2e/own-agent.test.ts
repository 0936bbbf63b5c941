import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, scene } from "../support/cox.ts";

test("an ACP agent of one's own is four lines of JSON: those of the documentation", async () => {
  const made = scene();
  const page = readFileSync(join(root, "docs/user/agents.md"), "utf8");
  const json = /speaks the \[Agent Client Protocol\].*?```json\n(.*?)```/s.exec(page)?.[1] ?? "";
  expect(json.trim().split("\n")).toHaveLength(4);
  mkdirSync(made.home, { recursive: true, mode: 0o700 });
  writeFileSync(join(made.home, "agents.json"), json);
  const bin = join(made.folder, "bin");
  mkdirSync(bin);
  writeFileSync(
    join(bin, "my-agent"),
    `#!/bin/sh\n[ "$1" = --acp ] || exit 9\nexec node ${join(root, "dist/demo.cjs")}\n`,
  );
  chmodSync(join(bin, "my-agent"), 0o755);
  const env = { PATH: `${bin}:${process.env.PATH}` };

  const run = await made.cox(["run", "--agent", "mine", "--quiet", "--", "@say I am yours"], { env });
  expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining("I am yours") });
  expect((await made.cox(["agent", "ls"], { env })).stdout).toContain("mine");
  expect((await made.cox(["agent", "show", "mine"], { env })).stdout).toContain("--acp");
  const tried = await made.cox(["agent", "test", "mine"], { env });
  expect(tried.code, tried.stdout + tried.stderr).toBe(0);
});
