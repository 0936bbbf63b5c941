import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { AppError, exitCodeOf } from "../../contract/errors.ts";
import { type Child, type ChildSpec, startChild } from "./child.ts";
import { startTimeOf } from "./holders/identity.ts";

const fake = (name: string) => fileURLToPath(new URL(`../../../test/fakes/${name}`, import.meta.url));
const at = temporaryFolder();
let count = 0;

/** Starts a program and gives what it wrote so far. */
async function start(spec: Partial<ChildSpec> & { file: string }): Promise<Child & { out(): string }> {
  const path = join(at, `out-${(count += 1)}`);
  const fd = openSync(path, "a", 0o600);
  const base = { args: [], cwd: at, env: { PATH: "/usr/bin:/bin" }, stdin: "pipe", stdout: fd, stderr: fd } as const;
  try {
    const child = await startChild({
      ...base,
      marker: { name: "COX_TEST_ID", value: `${process.pid}-${count}` },
      ...spec,
    });
    return { ...child, out: () => readFileSync(path, "utf8") };
  } finally {
    closeSync(fd);
  }
}

async function failure(spec: Partial<ChildSpec> & { file: string }): Promise<AppError> {
  const error: unknown = await start(spec).catch((error: unknown) => error);
  if (error instanceof AppError) return error;
  throw new Error("expected an AppError");
}

describe("startChild", () => {
  test("starts a leader of its own group, with the marker in its environment", async () => {
    const child = await start({ file: "/bin/sh", args: ["-c", 'echo "$COX_TEST_ID"; read _; ps -o pgid= -p $$'] });
    expect(child.startTime).toBe(startTimeOf(child.pid));
    child.end();
    expect(await child.exited).toEqual({ code: 0 });
    expect(child.out().split(/\s+/).filter(Boolean)).toEqual([`${process.pid}-${count}`, String(child.pid)]);
  });

  test("has a start time even when it ends at once", async () => {
    const children = await Promise.all(Array.from({ length: 20 }, () => start({ file: "/bin/true" })));
    for (const child of children) {
      expect(child.startTime).not.toBe("");
      expect(await child.exited).toEqual({ code: 0 });
    }
  });

  test.each([
    ["0", { code: 0 }],
    ["1", { code: 1 }],
    ["126", { code: 126 }],
    ["127", { code: 127 }],
    ["TERM", { code: 143, signal: "SIGTERM" }],
    ["KILL", { code: 137, signal: "SIGKILL" }],
    ["SEGV", { code: 139, signal: "SIGSEGV" }],
  ])("an end by %s is %j", async (how, exit) => {
    const child = await start({ file: fake("exits-with.sh"), args: [how] });
    expect(await child.exited).toEqual(exit);
  });

  test("arguments and environment arrive byte for byte; nothing is a shell's", async () => {
    const args = ["-c", 'printf "%s|" "$0" "$@" "$ODD"', "--settings=x", "$(touch /tmp/no) `x` ;|&", "", "é\n\u2028"];
    const child = await start({ file: "/bin/sh", args, env: { ODD: "a=b\n" } });
    await child.exited;
    expect(child.out()).toBe(`${args.slice(2).join("|")}|a=b\n|`);
  });
});

describe("what can't be started says so by name", () => {
  const file = (name: string, text: string, mode: number) => {
    writeFileSync(join(at, name), text);
    chmodSync(join(at, name), mode);
    return join(at, name);
  };
  mkdirSync(join(at, "folder"), { recursive: true });

  const cases: Record<
    string,
    { spec: Partial<ChildSpec> & { file: string }; code: string; exit: number; message: string }
  > = {
    "a missing program": {
      spec: { file: "/no/such/agent" },
      code: "agent.not_installed",
      exit: 127,
      message: "/no/such/agent: not found",
    },
    "a path through a file": {
      spec: { file: "/etc/passwd/agent" },
      code: "agent.not_installed",
      exit: 127,
      message: "not found",
    },
    "a file without x bit": {
      spec: { file: file("plain", "#!/bin/sh\n", 0o644) },
      code: "agent.not_executable",
      exit: 126,
      message: "EACCES",
    },
    "a folder": { spec: { file: join(at, "folder") }, code: "agent.not_executable", exit: 126, message: "EACCES" },
    "a missing interpreter": {
      spec: { file: file("script", "#!/no/such/interpreter\n", 0o755) },
      code: "agent.not_executable",
      exit: 126,
      message: "interpreter",
    },
    "a missing folder": {
      spec: { file: "/bin/true", cwd: "/no/such/folder" },
      code: "workspace.invalid",
      exit: 2,
      message: "/no/such/folder: ",
    },
    "a file for a folder": {
      spec: { file: "/bin/true", cwd: "/etc/passwd" },
      code: "workspace.invalid",
      exit: 2,
      message: "/etc/passwd: ",
    },
    "too many arguments": {
      spec: { file: "/bin/true", args: Array.from({ length: 40 }, () => "x".repeat(100_000)) },
      code: "internal",
      exit: 1,
      message: "E2BIG",
    },
    "a NUL in a variable": {
      spec: { file: "/bin/true", env: { KEY: "secret-key\0" } },
      code: "usage.invalid",
      exit: 2,
      message: "NUL",
    },
    "a NUL in an argument": {
      spec: { file: "/bin/true", args: ["a\0"] },
      code: "usage.invalid",
      exit: 2,
      message: "NUL",
    },
  };
  test.each(Object.entries(cases))("%s", async (_name, { spec, code, exit, message }) => {
    const error = await failure(spec);
    expect(error.code).toBe(code);
    expect(exitCodeOf(error.code)).toBe(exit);
    expect(error.message).toMatch(/^start agent process: /);
    expect(error.message).toContain(message);
    expect(inspect(error, { depth: 9 })).not.toMatch(/secret-key|xxxx/);
  });

  test("nothing stays behind: no file is left open", async () => {
    const before = openFiles();
    for (let round = 0; round < 20; round += 1) await failure({ file: "/no/such/agent" });
    await vi.waitFor(() => expect(openFiles()).toBeLessThanOrEqual(before), 10_000);
  });
});

describe("stdin", () => {
  test("takes text until it is closed", async () => {
    const child = await start({ file: "/bin/cat" });
    await child.write("one\n");
    await child.write("é".repeat(300_000));
    child.end();
    expect(await child.exited).toEqual({ code: 0 });
    expect(child.out()).toBe(`one\n${"é".repeat(300_000)}`);
  });

  test("a write to a program that has exited rejects, before and after we know", async () => {
    const child = await start({ file: "/bin/true" });
    const large = child.write("x".repeat(10_000_000));
    await expect(large).rejects.toMatchObject({ code: "agent.failed" });
    await child.exited;
    await expect(child.write("more")).rejects.toMatchObject({ code: "agent.failed" });
    expect(() => child.end()).not.toThrow();
  });

  test("a write to a program that closed its stdin rejects; the program lives on", async () => {
    const child = await start({ file: fake("closes-stdin.sh") });
    await vi.waitFor(() => expect(child.out()).toBe("ready\n"), 10_000);
    await expect(child.write("x".repeat(1_000_000))).rejects.toMatchObject({ code: "agent.failed" });
    expect(startTimeOf(child.pid)).toBe(child.startTime);
    await child.stop(0);
  });

  test("a write that nobody reads rejects when the program is ended", async () => {
    const child = await start({ file: "/bin/sleep", args: ["1000"] });
    const stuck = child.write("x".repeat(10_000_000));
    const outcome = expect(stuck).rejects.toMatchObject({ code: "agent.failed" });
    await child.stop(1000);
    await outcome;
  });

  test("ignored, it is at its end from the start", async () => {
    const child = await start({ file: "/bin/cat", stdin: "ignore" });
    expect(await child.exited).toEqual({ code: 0 });
    await expect(child.write("x")).rejects.toMatchObject({ code: "agent.failed" });
  });

  test("after the end, a write rejects", async () => {
    const child = await start({ file: "/bin/cat" });
    child.end();
    await expect(child.write("late")).rejects.toMatchObject({ code: "agent.failed" });
    await child.exited;
  });
});

test("a signal goes to the whole group, and to nobody once the leader is gone", async () => {
  const child = await start({ file: "/bin/sh", args: ["-c", "sleep 1000; echo interrupted"] });
  // Not before it is itself: between fork and exec a shell keeps the signal from its child.
  await vi.waitFor(() => expect(groupOf(child.pid).map(nameOf)).toContain("sleep"), 10_000);
  child.signal("SIGINT");
  expect(await child.exited).toEqual({ code: 130, signal: "SIGINT" });
  const kill = vi.spyOn(process, "kill");
  child.signal("SIGINT");
  expect(kill).not.toHaveBeenCalled();
  kill.mockRestore();
});

const groupOf = (group: number): string[] => pids().filter((pid) => statOf(pid)[2] === String(group));

function nameOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "latin1").trim();
  } catch {
    return "";
  }
}

function pids(): string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
}

function statOf(pid: string): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

function openFiles(): number {
  return readdirSync("/proc/self/fd").length;
}
