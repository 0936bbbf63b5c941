import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { claimTask, dropEmptyTask } from "./find-task.ts";
import { openHome, taskFolder } from "./home.ts";

const home = () => openHome(join(temporaryFolder(), "cox"));

test("whoever wants a name that is taken gets one with a number", () => {
  const at = home();
  expect([1, 2, 3].map(() => claimTask(at, "web", "fix"))).toEqual(["fix", "fix-2", "fix-3"]);
  expect(claimTask(at, "other", "fix")).toBe("fix");
});

test("a claim that came to nothing leaves nothing, one with something in it stays", () => {
  const at = home();
  const [first, second] = ["fix", "fix"].map((name) => ({ project: "web", task: claimTask(at, "web", name) }));
  if (first === undefined || second === undefined) throw new Error("two were claimed");
  mkdirSync(join(taskFolder(at, "web", second.task), "runs"));
  dropEmptyTask(at, first);
  dropEmptyTask(at, second);
  expect(readdirSync(join(at.root, "projects", "web"))).toEqual(["fix-2"]);
  const alone = { project: "alone", task: claimTask(at, "alone", "fix") };
  dropEmptyTask(at, alone);
  dropEmptyTask(at, alone);
  expect(existsSync(join(at.root, "projects", "alone"))).toBe(false);
  const elsewhere = home();
  dropEmptyTask(elsewhere, { project: "web", task: claimTask(elsewhere, "web", "fix") });
  expect(existsSync(join(elsewhere.root, "projects"))).toBe(false);
});
