import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";

const disk = vi.hoisted(() => ({ synced: [] as string[], fail: false }));

/** The real files, and a note of each sync; a disk that fails is asked for by name. */
vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  return {
    ...real,
    async open(path: string, flags: string) {
      const file = await real.open(path, flags);
      return {
        async datasync() {
          await file.datasync();
          if (disk.fail) throw Object.assign(new Error("i/o error"), { code: "EIO" });
          disk.synced.push(path);
        },
        close: () => file.close(),
      };
    },
  };
});

const { syncFile, syncShared } = await import("./durable.ts");

beforeEach(() => {
  disk.synced = [];
  disk.fail = false;
});

const newFile = () => {
  const path = join(temporaryFolder(), "file");
  appendFileSync(path, "x");
  return path;
};

test("those who wait at the same time share a sync, and nobody shares one that had begun before", async () => {
  const path = newFile();
  const waits = Array.from({ length: 100 }, () => syncShared(path));
  expect(new Set(waits).size).toBe(2);
  await Promise.all(waits);
  expect(disk.synced.filter((each) => each === path)).toHaveLength(2);
  await syncShared(path);
  expect(disk.synced.filter((each) => each === path)).toHaveLength(3);
});

test("a new file's folders are synced too, once", async () => {
  const path = newFile();
  await syncFile(path);
  expect(disk.synced[1]).toBe(join(path, ".."));
  disk.synced = [];
  await syncFile(path);
  expect(disk.synced).toEqual([path]);
});

test("a failed sync is an error for everybody who waited for it, and the next one starts anew", async () => {
  const path = newFile();
  disk.fail = true;
  const results = await Promise.allSettled([syncShared(path), syncShared(path)]);
  for (const result of results) {
    expect(result).toMatchObject({ status: "rejected", reason: { code: "store.unwritable" } });
  }
  disk.fail = false;
  await syncShared(path);
  expect(disk.synced[0]).toBe(path);
});
