import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Bell } from "./bell.ts";

let folder: string;
let bell: Bell | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cox-test-"));
  for (const name of ["a", "b"]) writeFileSync(join(folder, name), "");
});
afterEach(() => {
  bell?.close();
  rmSync(folder, { recursive: true });
});

const file = (name: string) => join(folder, name);
const never = 1_000_000;

async function isRung(): Promise<boolean> {
  const rung = bell?.rung().then(() => true) ?? false;
  return Promise.race([rung, Promise.resolve().then(() => false)]);
}

describe("a bell", () => {
  test("rings for each of its files", async () => {
    bell = new Bell([file("a"), file("b")], never);
    for (const name of ["a", "b"]) {
      appendFileSync(file(name), "x");
      await bell.rung();
    }
  });

  test("rung before anybody waited is heard once", async () => {
    bell = new Bell(file("a"), never);
    bell.ring();
    bell.ring();
    expect(await isRung()).toBe(true);
    expect(await isRung()).toBe(false);
  });

  test("that wakes one who waits has nothing left to say", async () => {
    bell = new Bell(file("a"), never);
    const waiting = bell.rung();
    bell.ring();
    await waiting;
    expect(await isRung()).toBe(false);
  });

  test("where nothing can be watched it rings by itself, also for the files that could be", async () => {
    bell = new Bell([file("a"), file("missing")]);
    for (let times = 0; times < 3; times += 1) await bell.rung();
  });
});
