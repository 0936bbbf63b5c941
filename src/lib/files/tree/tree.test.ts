import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deepFolder } from "../../../../test/support/deep-folder.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { AppError } from "../../../contract/errors.ts";
import { copyTree } from "./copy-tree.ts";
import { removeTree } from "./remove-tree.ts";
import { bytesOnDisk } from "./walk-tree.ts";

const LIMITS = { bytes: 64 * 1024 * 1024, entries: 1000 };

function folder(): string {
  const path = join(temporaryFolder(), "tree");
  mkdirSync(path);
  return path;
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof AppError) return `${error.code} ${error.message}`;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("removing", () => {
  test("folders within each other, deeper than a path can name", () => {
    const path = folder();
    deepFolder(path, 1000, "deep");
    removeTree(path);
    expect(existsSync(path)).toBe(false);
  });

  test("what is closed to its owner, as Go's modules are, and names that are no text", () => {
    const path = folder();
    mkdirSync(join(path, "mod", "inner", "deepest"), { recursive: true });
    writeFileSync(Buffer.concat([Buffer.from(`${path}/mod/inner/`), Buffer.from([0xff, 0xfe])]), "x");
    chmodSync(join(path, "mod", "inner", "deepest"), 0o500);
    chmodSync(join(path, "mod", "inner"), 0);
    chmodSync(join(path, "mod"), 0o500);
    removeTree(path);
    expect(existsSync(path)).toBe(false);
  });

  test("links go, and what they lead to stays", () => {
    const path = folder();
    const outside = folder();
    writeFileSync(join(outside, "kept"), "x");
    mkdirSync(join(path, "a", "b"), { recursive: true });
    symlinkSync(outside, join(path, "link"));
    symlinkSync(outside, join(path, "a", "b", "link"));
    symlinkSync("/nowhere", join(path, "a", "dangling"));
    execFileSync("mkfifo", [join(path, "a", "pipe")]);
    removeTree(path);
    expect([existsSync(path), readdirSync(outside)]).toEqual([false, ["kept"]]);
  });

  test("a link, a file or nothing in its place", () => {
    const outside = folder();
    const link = join(folder(), "link");
    symlinkSync(outside, link);
    removeTree(link);
    expect([lstatSync(link, { throwIfNoEntry: false }), existsSync(outside)]).toEqual([undefined, true]);
    const file = join(outside, "file");
    writeFileSync(file, "");
    removeTree(file);
    expect(existsSync(file)).toBe(false);
    expect(() => removeTree(file)).not.toThrow();
  });
});

describe("what it takes of the disk", () => {
  test("holes take nothing, and what no path can name is no error", () => {
    const path = folder();
    writeFileSync(join(path, "real"), "x".repeat(100_000));
    writeFileSync(join(path, "holes"), "");
    truncateSync(join(path, "holes"), 100 * 1024 ** 3);
    deepFolder(path);
    const bytes = bytesOnDisk(path) ?? 0;
    expect(bytes).toBeGreaterThanOrEqual(100_000);
    expect(bytes).toBeLessThan(100 * 1024 ** 2);
    expect(bytesOnDisk(join(path, "none"))).toBeUndefined();
    removeTree(path);
  });
});

describe("copying", () => {
  test("files, folders, modes and links as they are; pipes are passed over", async () => {
    const from = folder();
    mkdirSync(join(from, "closed"));
    writeFileSync(join(from, "closed", "file"), "text", { mode: 0o640 });
    symlinkSync("../elsewhere", join(from, "link"));
    execFileSync("mkfifo", [join(from, "pipe")]);
    chmodSync(join(from, "closed"), 0o500);
    const to = join(temporaryFolder(), "copy");
    await copyTree(from, to, LIMITS);
    expect(readdirSync(to).sort()).toEqual(["closed", "link"]);
    expect(readFileSync(join(to, "closed", "file"), "utf8")).toBe("text");
    expect(statSync(join(to, "closed", "file")).mode & 0o777).toBe(0o640);
    expect(readlinkSync(join(to, "link"))).toBe("../elsewhere");
    expect(existsSync(`${to}.part`)).toBe(false);
  });

  test("holes stay holes", async () => {
    const from = folder();
    const file = join(from, "holes");
    writeFileSync(file, "");
    truncateSync(file, 50 * 1024 * 1024);
    execFileSync("sh", ["-c", `printf end >> ${file}`]);
    const to = join(temporaryFolder(), "copy");
    await copyTree(from, to, LIMITS);
    const { size, blocks } = statSync(join(to, "holes"));
    expect(size).toBe(50 * 1024 * 1024 + 3);
    expect(blocks * 512).toBeLessThan(8 * 1024 * 1024);
    expect(readFileSync(join(to, "holes")).subarray(-4).toString("latin1")).toBe("\0end");
  });

  test("what is too large, too many or too deep is refused before anything is made", async () => {
    const to = join(temporaryFolder(), "copy");
    const large = folder();
    writeFileSync(join(large, "image"), "");
    truncateSync(join(large, "image"), 100 * 1024 ** 3);
    expect(await refusal(copyTree(large, to, LIMITS))).toBe(
      `limit.exceeded copy ${large}: it holds more than 64 MB, among them ${large}/image (100 GB); delete what isn't needed there`,
    );
    const many = folder();
    for (let n = 0; n < 20; n += 1) writeFileSync(join(many, String(n)), "");
    expect(await refusal(copyTree(many, to, { ...LIMITS, entries: 10 }))).toContain("more than 10 files");
    const deep = folder();
    deepFolder(deep);
    expect(await refusal(copyTree(deep, to, LIMITS))).toContain("nested too deep");
    removeTree(deep);
    expect([existsSync(to), existsSync(`${to}.part`)]).toEqual([false, false]);
  });

  test("ends when it is told to, and leaves nothing half made", async () => {
    const from = folder();
    writeFileSync(join(from, "large"), Buffer.alloc(30 * 1024 * 1024, 1));
    const to = join(temporaryFolder(), "copy");
    const stop = new AbortController();
    const copied = copyTree(from, to, LIMITS, stop.signal);
    setImmediate(() => setImmediate(() => stop.abort(new Error("enough"))));
    await expect(copied).rejects.toThrow("enough");
    expect([existsSync(to), existsSync(`${to}.part`)]).toEqual([false, false]);
  });
});
