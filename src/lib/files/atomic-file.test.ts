import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { AppError } from "../../contract/errors.ts";
import { createFileExclusive, createFileInSight, writeFileAtomic } from "./atomic-file.ts";

/** What the file system answers instead, by call. */
const broken = vi.hoisted(() => ({ linkSync: "", writeSync: "", renameSync: "", fsyncSync: "", unlinkSync: "" }));
const calls = vi.hoisted((): string[] => []);

vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  const wrapped = (name: keyof typeof broken) =>
    ((...args: never[]) => {
      calls.push(name);
      if (broken[name]) throw Object.assign(new Error(`${broken[name]}: made up`), { code: broken[name] });
      return (real[name] as (...args: never[]) => unknown)(...args);
    }) as never;
  return {
    ...real,
    linkSync: wrapped("linkSync"),
    writeSync: wrapped("writeSync"),
    renameSync: wrapped("renameSync"),
    fsyncSync: wrapped("fsyncSync"),
    unlinkSync: wrapped("unlinkSync"),
  };
});

function withBroken(call: keyof typeof broken, errno: string, body: () => unknown): unknown {
  broken[call] = errno;
  try {
    return body();
  } catch (error) {
    return error;
  } finally {
    broken[call] = "";
  }
}

describe("writeFileAtomic", () => {
  test("creates and replaces, private by default, and leaves nothing else", () => {
    const at = temporaryFolder();
    const path = join(at, "run-info.yaml");
    writeFileAtomic(path, "a: 1\n");
    writeFileAtomic(path, Buffer.from("a: 2\n"), { durable: true });
    expect(readFileSync(path, "utf8")).toBe("a: 2\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(at)).toEqual(["run-info.yaml"]);
    writeFileAtomic(path, "", { mode: 0o640 });
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  test("replaces a link instead of following it", () => {
    const at = temporaryFolder();
    writeFileSync(join(at, "target"), "untouched");
    symlinkSync(join(at, "target"), join(at, "link"));
    writeFileAtomic(join(at, "link"), "new");
    expect(readFileSync(join(at, "target"), "utf8")).toBe("untouched");
    expect(readFileSync(join(at, "link"), "utf8")).toBe("new");
  });

  test("durable syncs the file before and the folder after the rename; else nothing is synced", () => {
    const path = join(temporaryFolder(), "file");
    calls.length = 0;
    writeFileAtomic(path, "x");
    expect(calls).toEqual(["writeSync", "renameSync"]);
    calls.length = 0;
    writeFileAtomic(path, "x", { durable: true });
    expect(calls).toEqual(["writeSync", "fsyncSync", "renameSync", "fsyncSync"]);
  });

  const failures: [keyof typeof broken, string, string][] = [
    ["writeSync", "ENOSPC", "store.full"],
    ["writeSync", "EDQUOT", "store.full"],
    ["writeSync", "EFBIG", "store.full"],
    ["writeSync", "EROFS", "store.unwritable"],
    ["renameSync", "EACCES", "store.unwritable"],
    ["fsyncSync", "EIO", "store.unwritable"],
  ];
  test.each(failures)("%s failing with %s is %s; the old file stays, the temporary one goes", (call, errno, code) => {
    const at = temporaryFolder();
    const path = join(at, "file");
    writeFileAtomic(path, "old");
    const error = withBroken(call, errno, () => writeFileAtomic(path, "new", { durable: true }));
    expect(error).toMatchObject({ code, details: { path, errno } });
    expect(error).toBeInstanceOf(AppError);
    expect(String(error)).toContain(`write file: ${path}: `);
    expect(String(error)).toMatch(/; \w+/);
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(at)).toEqual(["file"]);
  });

  test("where not even the temporary file can be removed, it is the first error that is told", () => {
    const path = join(temporaryFolder(), "file");
    const write = () => withBroken("writeSync", "EROFS", () => writeFileAtomic(path, "x"));
    expect(withBroken("unlinkSync", "EROFS", write)).toMatchObject({ code: "store.unwritable", details: { path } });
  });

  test("a folder in its place, a missing folder", () => {
    const at = temporaryFolder();
    mkdirSync(join(at, "folder"));
    expect(() => writeFileAtomic(join(at, "folder"), "x")).toThrow("a folder is in its place (EISDIR)");
    expect(() => writeFileAtomic(join(at, "none/file"), "x")).toThrow("the folder does not exist (ENOENT)");
  });

  test("a reader in another process never sees a part", async () => {
    const path = join(temporaryFolder(), "file");
    const texts = ["a".repeat(300_000), "b".repeat(200_000)] as const;
    writeFileAtomic(path, texts[0]);
    const program = `const { readFileSync } = require("node:fs"); const seen = new Set();
      for (let n = 0; n < 2000; n += 1) { const t = readFileSync(process.argv[1], "latin1"); seen.add(t.length + t[0] + t.at(-1)); }
      console.log([...seen].sort().join());`;
    const reader = spawn(process.execPath, ["-e", program, path], { stdio: ["ignore", "pipe", "inherit"] });
    const exit = once(reader, "exit");
    let seen = "";
    reader.stdout.on("data", (data) => {
      seen += data;
    });
    for (let n = 0; reader.exitCode === null; n += 1) {
      writeFileAtomic(path, texts[n % 2 === 0 ? 0 : 1]);
      if (n % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await exit;
    await vi.waitFor(() => expect(seen.trim()).toBe("200000bb,300000aa"));
  });
});

describe("createFileExclusive", () => {
  test.each([
    ["with hard links", ""],
    ["on a file system without hard links", "EPERM"],
  ])("%s the first wins, and the content is its own", (_name, errno) => {
    const at = temporaryFolder();
    const path = join(at, "claim.json");
    expect(withBroken("linkSync", errno, () => createFileExclusive(path, "first"))).toBe(true);
    expect(withBroken("linkSync", errno, () => createFileExclusive(path, "second"))).toBe(false);
    expect(readFileSync(path, "utf8")).toBe("first");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(at)).toEqual(["claim.json"]);
  });
});

describe.each([
  ["createFileExclusive", createFileExclusive],
  ["createFileInSight", createFileInSight],
])("%s", (_, create) => {
  test("the first wins; a link in its place counts as there, wherever it points", () => {
    const at = temporaryFolder();
    symlinkSync(join(at, "nowhere"), join(at, "claim"));
    expect(create(join(at, "claim"), "x")).toBe(false);
    expect([create(join(at, "other"), "x"), create(join(at, "other"), "y")]).toEqual([true, false]);
    expect(readFileSync(join(at, "other"), "utf8")).toBe("x");
    expect(readdirSync(at)).toEqual(["claim", "other"]);
  });

  test("a full disk leaves nothing", () => {
    const at = temporaryFolder();
    const error = withBroken("writeSync", "ENOSPC", () => create(join(at, "claim"), "x"));
    expect(error).toMatchObject({ code: "store.full" });
    expect(readdirSync(at)).toEqual([]);
  });
});
