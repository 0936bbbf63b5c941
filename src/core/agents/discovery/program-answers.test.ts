import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { ProgramAnswers } from "./program-answers.ts";

test("a program is asked once, again when it is another, and after a failure", async () => {
  const asked = new ProgramAnswers<number>();
  const program = join(temporaryFolder(), "agent");
  writeFileSync(program, "one");
  let count = 0;
  const ask = () => asked.about(program, "version", async () => (count += 1));
  expect([await ask(), await ask()]).toEqual([1, 1]);
  writeFileSync(program, "another");
  expect([await ask(), await ask()]).toEqual([2, 2]);
  expect(await asked.about(program, "models", async () => 9)).toBe(9);
  const failing = () => asked.about(program, "broken", () => Promise.reject(new Error("no")));
  await expect(failing()).rejects.toThrow("no");
  expect(await asked.about(program, "broken", async () => 5)).toBe(5);
  expect(await asked.about("/nowhere/agent", "version", async () => 1)).toBe(1);
  expect(await asked.about("/nowhere/agent", "version", async () => 2)).toBe(2);
});
