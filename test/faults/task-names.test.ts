import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const loader = import.meta.resolve("tsx");
const module = (path: string) => JSON.stringify(new URL(`../../src/core/store/${path}`, import.meta.url).href);

/** Waits for its start on stdin, so that all of them want the same names at the same time. */
const script = `
  import { once } from "node:events";
  const { openHome } = await import(${module("home.ts")});
  const { claimTask } = await import(${module("find-task.ts")});
  process.stdout.write("ready\\n");
  await once(process.stdin, "data");
  const home = openHome(process.env.COX_HOME);
  for (let i = 0; i < 20; i += 1) process.stdout.write(claimTask(home, "web", "task-" + (i % 4)) + "\\n");
  process.exit(0);
`;

test("ten processes that make tasks of one name at once get one each", { timeout: 120_000 }, async () => {
  const env = { ...process.env, COX_HOME: join(temporaryFolder(), "cox") };
  const args = ["--import", loader, "--input-type=module", "-e", script];
  const children = Array.from({ length: 10 }, () =>
    spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] }),
  );
  await Promise.all(children.map((child) => new Promise((resolve) => child.stdout.once("readable", resolve))));
  for (const child of children) child.stdin.write("go\n");
  const said = await Promise.all(children.map((child) => text(child.stdout)));
  const names = said.flatMap((lines) => lines.split("\n").filter((line) => line.startsWith("task-")));
  expect(names).toHaveLength(200);
  expect(new Set(names).size).toBe(200);
});
