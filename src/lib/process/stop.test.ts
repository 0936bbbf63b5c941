import { execFile } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { type Child, startChild } from "./child.ts";
import { processesWithEnv, startTimeOf } from "./holders/identity.ts";
import { type Marker, sweep } from "./stop.ts";

const at = temporaryFolder();
const name = "COX_TEST_STOP";
const markers: Marker[] = [];

afterAll(async () => {
  for (const marker of markers) await sweep(marker, 0);
});

interface Started extends Child {
  marker: Marker;
  out(): string;
}

async function start(fake: string, args: string[] = [], keeper = false): Promise<Started> {
  const marker = { name, value: `${process.pid}-${markers.length}` };
  markers.push(marker);
  const path = join(at, marker.value);
  const fd = openSync(path, "a", 0o600);
  const nowhere = openSync("/dev/null", "w");
  const file = fileURLToPath(new URL(`../../../test/fakes/${fake}`, import.meta.url));
  const env = { PATH: "/usr/bin:/bin" };
  const stdio = { stdin: "ignore" as const, stdout: fd, stderr: nowhere };
  const child = await startChild({ file, args, cwd: at, env, ...stdio, marker, keeper });
  closeSync(fd);
  closeSync(nowhere);
  return { ...child, marker, out: () => readFileSync(path, "utf8") };
}

const survivors = ({ marker }: Started) => processesWithEnv(marker.name, marker.value);
const said = (child: Started, what: string | RegExp) =>
  vi.waitFor(() => expect(child.out()).toMatch(what), { timeout: 10_000 });

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const began = performance.now();
  return { result: await work(), ms: performance.now() - began };
}

const rounds = Array.from({ length: 3 }, (_, round) => round);

describe("stop ends the whole tree within the grace and two seconds", { timeout: 60_000 }, () => {
  test.each(rounds)("a program that ignores SIGTERM (%i)", async () => {
    const child = await start("ignores-term.sh");
    await said(child, "ready");
    const { result, ms } = await timed(() => child.stop(200));
    expect(result).toEqual({ code: 137, signal: "SIGKILL" });
    expect(ms).toBeGreaterThan(190);
    expect(ms).toBeLessThan(2200);
    expect(survivors(child)).toEqual([]);
  });

  test.each(rounds)("a daemon in a session of its own (%i)", async () => {
    const child = await start("leaves-daemon.sh", ["stays"]);
    await said(child, /^\d+\n/);
    const daemon = Number(child.out());
    expect(startTimeOf(daemon)).toBeDefined();
    const { result, ms } = await timed(() => child.stop(5000));
    expect(result).toEqual({ code: 143, signal: "SIGTERM" });
    expect(ms).toBeLessThan(2000);
    expect(startTimeOf(daemon)).toBeUndefined();
    expect(survivors(child)).toEqual([]);
  });

  test.each(rounds)("a double fork that ignores SIGTERM (%i)", async () => {
    const child = await start("double-forks.sh");
    await said(child, /^\d+\n/);
    const daemon = Number(child.out());
    const { result, ms } = await timed(() => child.stop(300));
    expect(result).toEqual({ code: 0 });
    expect(ms).toBeLessThan(2300);
    expect(startTimeOf(daemon)).toBeUndefined();
    expect(survivors(child)).toEqual([]);
  });

  test.each(rounds)("fifty children, in and out of the group (%i)", async () => {
    const child = await start("forks-50.sh");
    await said(child, "ready");
    // A child in the middle of its exec has no environment yet.
    await vi.waitFor(() => expect(survivors(child).length).toBe(51), { timeout: 10_000 });
    const { ms } = await timed(() => child.stop(300));
    expect(ms).toBeLessThan(2300);
    expect(survivors(child)).toEqual([]);
  });

  test.each(rounds)("one that multiplies when asked to end (%i)", async () => {
    const child = await start("hydra.sh");
    await said(child, "ready");
    await child.stop(300);
    expect(survivors(child)).toEqual([]);
  });
});

describe("the grace", () => {
  test("is there to end in order: the last words are written, the exit code is its own, and it was asked once", async () => {
    const child = await start("slow-to-end.sh");
    await said(child, "ready");
    const { result, ms } = await timed(() => child.stop(10_000));
    expect(result).toEqual({ code: 7 });
    expect(ms).toBeLessThan(3000);
    expect(child.out()).toBe("ready\nflushed after 1\n");
  });

  test("is for the leader's children too: one that ends in order after its leader is not killed", async () => {
    const child = await start("slow-child.sh");
    await said(child, "ready");
    await child.stop(10_000);
    expect(child.out()).toBe("ready\nlock removed\n");
  });

  test("of nothing kills at once", async () => {
    const child = await start("slow-to-end.sh");
    await said(child, "ready");
    const { result, ms } = await timed(() => child.stop(0));
    expect(result).toEqual({ code: 137, signal: "SIGKILL" });
    expect(ms).toBeLessThan(1000);
    expect(child.out()).toBe("ready\n");
  });

  test("is shortened by a second call, not lengthened", async () => {
    const child = await start("ignores-term.sh");
    await said(child, "ready");
    const first = timed(() => child.stop(60_000));
    const longer = child.stop(120_000);
    const { result } = await timed(() => child.stop(50));
    expect(result).toEqual({ code: 137, signal: "SIGKILL" });
    expect((await first).ms).toBeLessThan(3000);
    expect(await longer).toEqual(result);
  });

  test("a stop after the end gives the exit again", async () => {
    const child = await start("exits-with.sh", ["5"]);
    await child.exited;
    expect(await child.stop(1000)).toEqual({ code: 5 });
  });

  test("a stop after the end still ends what was left, and signals no group that may be someone else's", async () => {
    const child = await start("leaves-daemon.sh", ["leaves"]);
    await child.exited;
    expect(survivors(child)).toEqual([Number(child.out())]);
    const kill = vi.spyOn(process, "kill");
    expect(await child.stop(2000)).toEqual({ code: 0 });
    expect(kill.mock.calls.filter(([pid]) => pid < 0)).toEqual([]);
    kill.mockRestore();
    expect(survivors(child)).toEqual([]);
  });
});

describe("sweep", () => {
  test("ends what a leader that exited by itself left behind, and says how many", async () => {
    const child = await start("holds-stdout.sh");
    expect(await child.exited).toEqual({ code: 3 });
    const orphan = Number(child.out());
    expect(survivors(child)).toEqual([orphan]);
    expect(await sweep(child.marker, 2000)).toEqual({ ended: 1, left: [] });
    expect(startTimeOf(orphan)).toBeUndefined();
  });

  test("kills those that ignore SIGTERM", async () => {
    const child = await start("ignores-term.sh");
    await said(child, "ready");
    const { result, ms } = await timed(() => sweep(child.marker, 200));
    expect(result.left).toEqual([]);
    expect(ms).toBeLessThan(2200);
    expect(await child.exited).toEqual({ code: 137, signal: "SIGKILL" });
  });

  test("of nobody is quick", async () => {
    const { result, ms } = await timed(() => sweep({ name, value: "nobody" }, 60_000));
    expect(result).toEqual({ ended: 0, left: [] });
    expect(ms).toBeLessThan(1000);
  });

  test("never touches another run", async () => {
    const other = await start("ignores-term.sh");
    const mine = await start("ignores-term.sh");
    await said(other, "ready");
    await said(mine, "ready");
    await sweep(mine.marker, 0);
    expect(startTimeOf(other.pid)).toBe(other.startTime);
    expect(await other.stop(0)).toEqual({ code: 137, signal: "SIGKILL" });
  });

  test("called from within the run it spares itself and those above it, not those beside it", async () => {
    const marker = { name, value: `${process.pid}-within` };
    markers.push(marker);
    const program = fileURLToPath(new URL("../../../test/fakes/sweeps-own-run.mjs", import.meta.url));
    const script = 'sleep 1000 & "$0" "$@"; echo "still there"; wait $!; echo "ended with $?"';
    const args = ["-c", script, process.execPath, "--import", import.meta.resolve("tsx"), program, name, marker.value];
    const env = { ...process.env, [marker.name]: marker.value };
    const { stdout } = await promisify(execFile)("/bin/sh", args, { env });
    // Two, when the loader had to start its compiler.
    expect(stdout).toMatch(/^\{"ended":[12],"left":\[\]\}\nstill there\nended with 137\n$/);
  });
});

test("a keeper isn't asked: those it keeps are, and it follows them", async () => {
  const child = await start("keeps-one.sh", [], true);
  await said(child, "ready");
  expect(await child.stop(10_000)).toEqual({ code: 0 });
  expect(child.out()).toBe("ready\nkept one asked\nkeeper leaves\n");
  const stubborn = await start("keeps-one.sh", ["stubborn"], true);
  await said(stubborn, "ready");
  expect(await stubborn.stop(200)).toEqual({ code: 137, signal: "SIGKILL" });
  expect(survivors(stubborn)).toEqual([]);
});
