import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { holdMountPoints, releaseMountPoints } from "./mount-points.ts";

function stage() {
  const folder = temporaryFolder();
  const [ledger, workspace] = [join(folder, "ledgers/one"), join(folder, "workspace")];
  for (const path of [workspace, join(folder, "r1"), join(folder, "r2"), join(folder, "r3")]) mkdirSync(path);
  const place = join(workspace, ".git");
  const seen: string[][] = [];
  const hold = (run: string) =>
    holdMountPoints(ledger, join(folder, run), async (living) => {
      seen.push(living.flatMap(({ run, writable }) => [run, ...writable]));
      return { hold: { writable: [workspace], pins: [], nested: [] }, make: [place, join(place, "inner")] };
    });
  return { ledger, workspace, place, seen, hold, release: (run: string) => releaseMountPoints(join(folder, run)) };
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

test("whoever comes sees who is there, but not itself, nor those whose process is gone", async () => {
  const { ledger, workspace, seen, hold, release } = stage();
  await hold("r1");
  await hold("r2");
  await hold("r2");
  expect(seen).toEqual([[], ["r1", workspace], ["r1", workspace]]);
  const file = join(ledger, "runs/r1");
  const { holder, ...rest } = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...rest, holder: { ...holder, start: "long ago" } }));
  await hold("r2");
  expect(seen.at(-1)).toEqual([]);
  await release("r1");
  await hold("r3");
  expect(seen.at(-1)).toEqual(["r2", workspace]);
});
