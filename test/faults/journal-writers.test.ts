import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { appendRecord, openJournal, parseJournal } from "../../src/lib/files/journal-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const writer = fileURLToPath(new URL("../fakes/journal-writer.mjs", import.meta.url));
const loader = import.meta.resolve("tsx");
const acked = (path: string) => readFileSync(path, "utf8").split("\n").filter(Boolean).map(Number);

/** What one writer's records say, in file order. */
function numbersOf(bytes: Uint8Array, name: string): number[] {
  const mine = parseJournal(bytes).records.filter((record) => record.value.writer === name);
  return mine.map((record) => Number(record.value.n));
}

test("killed writers lose nothing they were told was written, and take nothing from others", {
  timeout: 60_000,
}, async () => {
  for (let round = 0; round < 2; round += 1) {
    const at = temporaryFolder();
    const journal = join(at, "journal.jsonl");
    writeFileSync(journal, "");
    const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const children = names.map((name) => start(journal, join(at, name), name));
    await Promise.all(children.map((child, index) => killOnceWriting(child, join(at, names[index] ?? ""))));

    const fd = openJournal(journal);
    appendRecord(fd, '{"writer":"last","n":1}');
    const bytes = readFileSync(journal);
    for (const name of names) {
      const numbers = numbersOf(bytes, name);
      const known = acked(join(at, name));
      expect(known.length).toBeGreaterThan(0);
      // In order, without gap or repeat; one more than acknowledged may have made it.
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
      expect(numbers.length).toBeGreaterThanOrEqual(known.length);
      expect(numbers.length).toBeLessThanOrEqual(known.length + 1);
    }
    expect(numbersOf(bytes, "last")).toEqual([1]);
    expect(parseJournal(bytes).damaged).toBeLessThanOrEqual(names.length);
  }
});

function start(journal: string, acks: string, name: string): ChildProcess {
  return spawn(process.execPath, ["--import", loader, writer, journal, acks, name, "1048576"], { stdio: "ignore" });
}

async function killOnceWriting(child: ChildProcess, acks: string): Promise<void> {
  const exit = once(child, "exit");
  while (!existsSync(acks) || statSync(acks).size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * 20));
  child.kill("SIGKILL");
  await exit;
}

describe("a disk that is full", () => {
  test("by a limit on file sizes: the short write is an error and leaves no half record behind", () => {
    const at = temporaryFolder();
    const journal = join(at, "journal.jsonl");
    const command = `ulimit -f 40; exec "$0" "$@"`;
    const error = run("sh", [
      "-c",
      command,
      process.execPath,
      "--import",
      loader,
      writer,
      journal,
      join(at, "acks"),
      "w",
      "1000",
    ]);
    expect(error).toMatchObject({ code: "store.full" });
    expect(error.message).toContain(journal);
    expectRecovery(journal, join(at, "acks"));
  });

  test.skipIf(!canMount())("by a file system without space", () => {
    const at = temporaryFolder();
    const [disk, copy, acks] = [join(at, "disk"), join(at, "copy"), join(at, "acks")];
    mkdirSync(disk);
    const script = `mount -t tmpfs -o size=64k none "$0" && "$@" && cp "$0/journal.jsonl" "$0/../copy"`;
    const command = [process.execPath, "--import", loader, writer, join(disk, "journal.jsonl"), acks, "w", "1000"];
    const error = run("unshare", ["-rm", "sh", "-c", script, disk, ...command]);
    expect(error).toMatchObject({ code: "store.full" });
    expect(error.message).toContain("no space left on the disk (ENOSPC)");
    expectRecovery(copy, acks);
  });

  function expectRecovery(journal: string, acks: string): void {
    const numbers = numbersOf(readFileSync(journal), "w");
    expect(numbers).toEqual(acked(acks));
    // Space has returned (the limit was the writer's own).
    appendRecord(openJournal(journal), '{"writer":"w","n":-1}');
    expect(numbersOf(readFileSync(journal), "w")).toEqual([...numbers, -1]);
    expect(parseJournal(readFileSync(journal)).damaged).toBeLessThanOrEqual(1);
  }
});

function run(file: string, args: string[]): { code?: string; message?: string } {
  return JSON.parse(execFileSync(file, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }));
}

function canMount(): boolean {
  try {
    execFileSync("unshare", ["-rm", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
