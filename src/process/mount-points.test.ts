import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { holdMountPoints, releaseMountPoints } from "./mount-points.ts";

function stage() {
  const folder = temporaryFolder();
  const [ledger, workspace] = [join(folder, "ledger"), join(folder, "workspace")];
  for (const path of [workspace, join(folder, "r1"), join(folder, "r2")]) mkdirSync(path);
  const place = join(workspace, ".git");
  const hold = (run: string) => holdMountPoints(ledger, join(folder, run), () => [place, join(place, "inner")]);
  return { place, hold, release: (run: string) => releaseMountPoints(join(folder, run)) };
}

test("the last run that holds a place removes it", async () => {
  const { place, hold, release } = stage();
  await Promise.all([hold("r1"), hold("r2")]);
  await release("r1");
  expect(existsSync(place)).toBe(true);
  await release("r2");
  expect(existsSync(place)).toBe(false);
  await release("r2");
});

test("what was there before, or has something in it by then, stays", async () => {
  const { place, hold, release } = stage();
  mkdirSync(place);
  await hold("r1");
  await release("r1");
  expect(existsSync(place)).toBe(true);
  await hold("r1");
  writeFileSync(join(place, "inner/file"), "");
  await release("r1");
  expect(existsSync(join(place, "inner/file"))).toBe(true);
});
