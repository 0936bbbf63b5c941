import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { BusMessage } from "../../src/contract/bus.ts";
import { appendMessage } from "../../src/core/store/bus/bus.ts";
import { readMessages } from "../../src/core/store/bus/bus-reader.ts";
import { followBus } from "../../src/core/tasks/follow-bus.ts";
import { openJournal } from "../../src/lib/files/journal-line.ts";
import {
  acknowledged,
  bundleWriter,
  numbersTo,
  startWriter,
  Tallies,
  type WriterOptions,
  writerCommand,
} from "../support/bus-writers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let bundle: string;
beforeAll(async () => {
  bundle = await bundleWriter(temporaryFolder());
});

const names = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`);

/** A large body is whole when its message is there. */
function expectBody({ body }: BusMessage, folder: string): void {
  if (typeof body === "object") expect(statSync(join(folder, "blobs", body.sha256)).size).toBe(body.bytes);
}

test("16 writers of 800 messages each, while three follow: each message is read once, in its writer's order", async () => {
  const folder = temporaryFolder();
  const bus = join(folder, "TASK-MESSAGE-BUS.md");
  closeSync(openJournal(bus));
  const count = 800;
  const writers = names(16);
  const acks = (name: string) => join(folder, `acks-${name}`);

  const follow = async (): Promise<Tallies> => {
    const tallies = new Tallies();
    for await (const { messages, damaged } of followBus(bus, { since: "0" })) {
      expect(damaged).toBe(0);
      for (const message of messages) {
        tallies.add(message);
        expectBody(message, folder);
      }
      if (tallies.count >= writers.length * count) break;
    }
    return tallies;
  };
  const followers = [follow(), follow(), follow()];
  const exits = writers.map((name) => once(startWriter({ bus, acks: acks(name), name, count, bundle }), "exit"));
  expect(await Promise.all(exits)).toEqual(writers.map(() => [0, null]));
  for (const tallies of await Promise.all(followers)) {
    for (const name of writers) expect(tallies.of(name)).toEqual(numbersTo(count));
  }
  for (const name of writers) expect(acknowledged(acks(name))).toEqual(numbersTo(count));
  const bytes =
    statSync(bus).size +
    readdirSync(join(folder, "blobs")).reduce((sum, name) => sum + statSync(join(folder, "blobs", name)).size, 0);
  console.log(`${writers.length * count} messages, ${Math.round(bytes / 1e6)} MB`);
});

test("250 rounds of 8 writers, each killed in the middle: nothing acknowledged is lost, nothing is there twice", {
  timeout: 900_000,
}, async () => {
  const writers = names(8);
  let [read, acked, torn] = [0, 0, 0];
  for (let round = 0; round < 250; round += 1) {
    const folder = temporaryFolder();
    const bus = join(folder, "TASK-MESSAGE-BUS.md");
    const acks = (name: string) => join(folder, `acks-${name}`);
    await Promise.all(writers.map((name) => killWhileWriting({ bus, acks: acks(name), name, count: 0, bundle })));

    appendMessage(bus, { type: "INFO", project: "p", body: "last 1" }, 0);
    const { messages, damaged } = readMessages(bus);
    const tallies = new Tallies();
    for (const message of messages) {
      tallies.add(message);
      expectBody(message, folder);
    }
    for (const name of writers) {
      const numbers = tallies.of(name);
      const known = acknowledged(acks(name)).length;
      expect(numbers, `round ${round}, ${name}`).toEqual(numbersTo(numbers.length));
      // The one that was being written, or whose acknowledgement was, may be there or not.
      expect(numbers.length).toBeGreaterThanOrEqual(known);
      expect(numbers.length).toBeLessThanOrEqual(known + 1);
      acked += known;
    }
    expect(tallies.of("last")).toEqual([1]);
    expect(damaged).toBeLessThanOrEqual(writers.length);
    read += messages.length;
    torn += damaged;
    rmSync(folder, { recursive: true });
  }
  console.log(`${acked} acknowledged, ${read} read, ${torn} torn`);
  expect(acked).toBeGreaterThan(250 * 8);
});

async function killWhileWriting(options: WriterOptions): Promise<void> {
  const child = startWriter(options);
  const exit = once(child, "exit");
  if (child.stdout === null) throw new Error("no stdout");
  await once(child.stdout, "data");
  await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * 19));
  child.kill("SIGKILL");
  await exit;
}

describe("a disk that is full", () => {
  const run = (file: string, args: string[]) =>
    execFileSync(file, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

  test.skipIf(!canMount())("a file system without space: a clear error, and all is well when space returns", () => {
    const at = temporaryFolder();
    mkdirSync(join(at, "disk"));
    const bus = join(at, "disk", "TASK-MESSAGE-BUS.md");
    const [acks, later] = [join(at, "acks"), join(at, "acks-later")];
    const first = writerCommand({ bus, acks, name: "w", count: 0, bundle }).map(quoted).join(" ");
    const second = writerCommand({ bus, acks: later, name: "v", count: 20, largest: 20_000, bundle })
      .map(quoted)
      .join(" ");
    const script = `set -e
      mount -t tmpfs -o size=4m none ${quoted(join(at, "disk"))}
      head -c 1000000 /dev/zero > ${quoted(join(at, "disk", "filler"))}
      ${first}
      rm ${quoted(join(at, "disk", "filler"))}
      ${second}
      cp -r ${quoted(join(at, "disk"))} ${quoted(join(at, "copy"))}`;
    const printed = run("unshare", ["-Urm", "sh", "-c", script]).split("\n");
    expect(JSON.parse(printed[1] ?? "")).toMatchObject({
      code: "store.full",
      message: expect.stringContaining("no space left on the disk (ENOSPC); free some space"),
    });
    expect(printed.slice(2)).toEqual(["go", ""]);
    const { messages, damaged } = readMessages(join(at, "copy", "TASK-MESSAGE-BUS.md"));
    const tallies = new Tallies();
    for (const message of messages) {
      tallies.add(message);
      expectBody(message, join(at, "copy"));
    }
    expect(tallies.of("w")).toEqual(acknowledged(acks));
    expect(tallies.of("v")).toEqual(numbersTo(20));
    expect(damaged).toBeLessThanOrEqual(1);
    expect(readdirSync(join(at, "copy", "blobs")).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("a limit on file sizes", () => {
    const at = temporaryFolder();
    const bus = join(at, "TASK-MESSAGE-BUS.md");
    const acks = join(at, "acks");
    const command = writerCommand({ bus, acks, name: "w", count: 0, largest: 5000, bundle }).map(quoted).join(" ");
    const printed = run("sh", ["-c", `ulimit -f 200; ${command}`]).split("\n");
    expect(JSON.parse(printed[1] ?? "")).toMatchObject({ code: "store.full", message: expect.stringContaining(bus) });
    const tallies = new Tallies();
    appendMessage(bus, { type: "INFO", project: "p", body: "v 1" }, 0);
    for (const message of readMessages(bus).messages) tallies.add(message);
    expect(tallies.of("w")).toEqual(acknowledged(acks));
    expect(tallies.of("v")).toEqual([1]);
  });

  test.skipIf(!existsSync("/dev/full"))("the device /dev/full in the place of a bus is refused, not followed", () => {
    const at = temporaryFolder();
    const bus = join(at, "TASK-MESSAGE-BUS.md");
    execFileSync("ln", ["-s", "/dev/full", bus]);
    expect(() => appendMessage(bus, { type: "INFO", project: "p", body: "x" }, 0)).toThrow(
      expect.objectContaining({ code: "store.unwritable" }),
    );
    expect(() => appendMessage("/dev/full", { type: "INFO", project: "p", body: "x" }, 0)).toThrow(
      expect.objectContaining({ code: "store.unwritable", message: expect.stringContaining("not a regular file") }),
    );
  });
});

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

function canMount(): boolean {
  try {
    execFileSync("unshare", ["-Urm", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
