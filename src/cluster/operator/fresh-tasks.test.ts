import { expect, test } from "vitest";
import { FreshTasks } from "./fresh-tasks.ts";
import { aTask } from "./task/test-objects.ts";

const named = (name: string, prompt: string, version = "1") => {
  const task = aTask({ prompt });
  return { ...task, metadata: { ...task.metadata, name, resourceVersion: version } };
};

test("a new Task is at hand once, and only in the version that is known", () => {
  const fresh = new FreshTasks();
  fresh.note(named("a", "do it"));
  expect(fresh.take("ns/a", "2")).toBeUndefined();
  fresh.note(named("a", "do it"));
  expect(fresh.take("ns/a", "1")?.spec.prompt).toBe("do it");
  expect(fresh.take("ns/a", "1")).toBeUndefined();
});

test("one that somebody has looked at is not kept, nor what was kept of it", () => {
  const fresh = new FreshTasks();
  fresh.note(named("a", "do it"));
  fresh.note({ ...named("a", "do it", "2"), status: { phase: "Waiting" } });
  expect(fresh.take("ns/a", "1")).toBeUndefined();
  expect(fresh.take("ns/a", "2")).toBeUndefined();
});

test("long prompts are not hoarded, and room that is given back can be used again", () => {
  const fresh = new FreshTasks();
  const long = "x".repeat(3 * 1024 * 1024);
  for (const name of ["a", "b", "c"]) fresh.note(named(name, long));
  expect(fresh.take("ns/c", "1")).toBeUndefined();
  expect(fresh.take("ns/a", "1")).toBeDefined();
  fresh.note(named("c", long));
  expect(fresh.take("ns/c", "1")).toBeDefined();
});
