import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { bootId, pidNamespace, startTimeOf } from "./identity.ts";
import { withLock } from "./lock.ts";

const at = temporaryFolder();

test("one at a time, in turn, and free afterwards", async () => {
  const file = join(at, "one");
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setTimeout(resolve, 5));
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 5 }, () => withLock(file, work, { waitMs: 10_000 })));
  expect(most).toBe(1);
  await expect(withLock(file, () => Promise.reject(new Error("no")), { waitMs: 0 })).rejects.toThrow("no");
  expect(existsSync(file)).toBe(false);
});

const holder = (changes: object) =>
  JSON.stringify({
    pid: process.pid,
    start: startTimeOf(process.pid),
    boot: bootId(),
    namespace: pidNamespace(),
    ...changes,
  });

test.each([
  ["a process that is gone", () => holder({ pid: spawnSync("true").pid })],
  ["a number that is another's now", () => holder({ start: "1" })],
  ["an earlier boot", () => holder({ boot: "before" })],
  ["nobody of ours", () => "garbage"],
])("a lock left by %s is broken", async (_, text) => {
  const file = join(at, "stale");
  writeFileSync(file, text());
  expect(await withLock(file, () => Promise.resolve("done"), { waitMs: 0 })).toBe("done");
});

test.each([
  ["a living process", () => holder({})],
  ["another machine", () => holder({ namespace: "pid:[1]", pid: 999_999_999 })],
])("one held by %s is waited for, not for ever", async (_, text) => {
  const file = join(at, "held");
  writeFileSync(file, text());
  await expect(withLock(file, () => Promise.resolve(), { waitMs: 120 })).rejects.toMatchObject({
    code: "workspace.busy",
  });
  expect(existsSync(file)).toBe(true);
});
