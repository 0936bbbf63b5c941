import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  bootId,
  factsOf,
  isAlive,
  parsePs,
  parseStat,
  pidNamespace,
  pidsWithEnv,
  processesWithEnv,
  selfAndAncestors,
  startTimeOf,
} from "./identity.ts";

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
  }
});

function start(script: string, env: Record<string, string> = {}): ChildProcess & { pid: number } {
  const child = spawn("/bin/sh", ["-c", script], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["pipe", "pipe", "ignore"],
  });
  children.push(child);
  if (child.pid === undefined) throw new Error("not started");
  return Object.assign(child, { pid: child.pid });
}

describe("a process's identity", () => {
  test("is its own: the start time of this process stays, another's differs", async () => {
    const own = startTimeOf(process.pid);
    expect(own).toMatch(/^\d+$|:/);
    expect(startTimeOf(process.pid)).toBe(own);
    expect(isAlive({ pid: process.pid, start: own ?? "" })).toBe(true);
    expect(isAlive({ pid: process.pid, start: "1" })).toBe(false);
    expect(factsOf(process.pid)?.parent).toBe(process.ppid);
  });

  test("ends with it", async () => {
    const child = start("read _");
    const identity = { pid: child.pid, start: startTimeOf(child.pid) ?? "" };
    expect(isAlive(identity)).toBe(true);
    const exit = once(child, "exit");
    child.stdin?.end("\n");
    await exit;
    expect(isAlive(identity)).toBe(false);
    expect(startTimeOf(child.pid)).toBeUndefined();
  });

  test("a zombie is gone, although it can be signalled", async () => {
    // The shell becomes a program that waits for nobody; the child ends only then, for a shell would wait for it.
    const name = "$(cat /proc/$$/comm 2>/dev/null || ps -o comm= -p $$)";
    const parent = start(`(until case ${name} in *sleep) ;; *) false;; esac; do :; done) & echo $!; exec sleep 1000`);
    const [line] = await once(parent.stdout ?? process.stdin, "data");
    const pid = Number(String(line));
    await vi.waitFor(() => expect(factsOf(pid)?.zombie).toBe(true), 10_000);
    const start_ = factsOf(pid)?.start ?? "";
    expect(process.kill(pid, 0)).toBe(true);
    expect(startTimeOf(pid)).toBeUndefined();
    expect(isAlive({ pid, start: start_ })).toBe(false);
  });

  test("a process we can't see but may not signal either is taken for alive; one that isn't there is not", () => {
    const kill = vi.spyOn(process, "kill");
    kill.mockImplementation(() => {
      throw Object.assign(new Error("EPERM"), { code: "EPERM" });
    });
    expect(isAlive({ pid: 2 ** 22 + 5, start: "1" })).toBe(true);
    kill.mockRestore();
    expect(isAlive({ pid: 2 ** 22 + 5, start: "1" })).toBe(false);
  });

  test("boot and namespace name this machine", () => {
    expect(bootId()).toMatch(/^[0-9a-fA-F-]{36}$/);
    expect(bootId()).toBe(bootId());
    if (process.platform === "linux") expect(pidNamespace()).toMatch(/^pid:\[\d+\]$/);
  });

  test("ancestors go up to the first", () => {
    const line = [...selfAndAncestors()];
    expect(line.slice(0, 2)).toEqual([process.pid, process.ppid]);
    expect(factsOf(line.at(-1) ?? 0)?.parent ?? 0).toBe(0);
  });
});

test.each([
  [
    "4 (a) b (c)) S 1 9 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20",
    { start: "777", parent: 1, group: 9, zombie: false, stopped: false },
  ],
  [
    "4 (sh) Z 1 9 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20",
    { start: "777", parent: 1, group: 9, zombie: true, stopped: false },
  ],
  [
    "4 (sh\n) X 2 9 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 1 20",
    { start: "1", parent: 2, group: 9, zombie: true, stopped: false },
  ],
])("parseStat %#", (stat, facts) => {
  expect(parseStat(stat)).toEqual(facts);
});

test("parsePs reads what macOS prints", () => {
  const line = "Ss+     1   501 Mon Nov  2 09:15:01 2026    ";
  expect(parsePs(line)).toEqual({
    zombie: false,
    stopped: false,
    parent: 1,
    group: 501,
    start: "Mon Nov 2 09:15:01 2026",
  });
  expect(parsePs("Z 1 501 Mon Nov 2 09:15:01 2026")?.zombie).toBe(true);
  expect(parsePs("T+ 1 501 Mon Nov 2 09:15:01 2026")?.stopped).toBe(true);
  expect(parsePs("")).toBeUndefined();
});

describe("processes by environment", () => {
  test("exactly the entry, neither a prefix of it nor its text elsewhere", async () => {
    const name = `COX_TEST_${process.pid}`;
    const hits = [start("read _", { [name]: "run-1" }), start("read _", { AAA: "1", [name]: "run-1", ZZZ: "1" })];
    const misses = [
      start("read _", { [name]: "run-12" }),
      start("read _", { [`X${name}`]: "run-1" }),
      start("read _", { OTHER: `${name}=run-1` }),
      start(`: ${name}=run-1; read _`),
    ];
    // A child is not itself before exec; spawn returns after it.
    for (const child of misses) expect(readFileSync(`/proc/${child.pid}/cmdline`, "utf8")).toContain("read");
    expect(new Set(processesWithEnv(name, "run-1"))).toEqual(new Set(hits.map((child) => child.pid)));
    expect(processesWithEnv(name, "none")).toEqual([]);
  });

  test("pidsWithEnv reads what macOS prints", () => {
    const listing = [
      "    1 /sbin/launchd",
      "  501 /bin/sleep 9 PATH=/bin COX_RUN_ID=r1 HOME=/u",
      "  502 /bin/sleep 9 COX_RUN_ID=r1",
      "  503 /bin/sleep 9 COX_RUN_ID=r12 HOME=/u",
      "  504 /bin/sleep 9 XCOX_RUN_ID=r1",
    ].join("\n");
    expect(pidsWithEnv(listing, "COX_RUN_ID", "r1")).toEqual([501, 502]);
  });
});
