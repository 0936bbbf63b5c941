import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { AppError } from "../../contract/errors.ts";
import { type CommandOptions, runCommand } from "./command.ts";
import { startTimeOf } from "./holders/identity.ts";

const at = temporaryFolder();
const env = { PATH: "/usr/bin:/bin" };
const sh = (script: string, options: Partial<CommandOptions> = {}) =>
  runCommand("/bin/sh", ["-c", script], { cwd: at, env, timeoutMs: 10_000, ...options });

const failure = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("runCommand", () => {
  test("gives the exit code, all of stdout and the end of stderr", async () => {
    const result = await sh("printf 'a\\000b'; echo oh >&2; exit 3");
    expect(result).toEqual({ code: 3, stdout: Buffer.from("a\0b"), stderr: "oh", truncated: false });
  });

  test("says which signal ended it", async () => {
    expect(await sh("kill -SEGV $$")).toMatchObject({ code: 139, signal: "SIGSEGV" });
  });

  test("takes input, and a program that does not read it breaks nothing", async () => {
    expect((await sh("cat", { input: "hi" })).stdout.toString()).toBe("hi");
    expect((await sh("exit 0", { input: "x".repeat(1_000_000) })).code).toBe(0);
  });

  test("without input its stdin is empty", async () => {
    expect((await sh("cat; echo end")).stdout.toString()).toBe("end\n");
  });

  test("leads a session of its own, so that nothing can ask on our terminal", async () => {
    const { stdout } = await sh('ps -o pid=,pgid=,sid= -p $$; echo "$$"');
    const [pid, group, session, self] = stdout.toString().trim().split(/\s+/);
    expect([group, session, self]).toEqual([pid, pid, pid]);
  });

  test("one that takes too long is ended with all it started", async () => {
    const pids = join(at, "pids");
    const slow = sh(`trap '' TERM; sleep 60 & echo $! > ${pids}.tmp; mv ${pids}.tmp ${pids}; wait; sleep 60`, {
      timeoutMs: 300,
    });
    const error = await failure(slow);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: "timeout", message: "sh: took longer than 0.3 s and was ended" });
    const { stdout } = await sh(`cat ${pids}`);
    expect(startTimeOf(Number(stdout.toString()))).toBeUndefined();
  });

  test("a cancelled one throws the reason of the signal, untouched", async () => {
    const abort = new AbortController();
    const reason = new Error("enough");
    const running = sh("echo started; sleep 60", {
      signal: abort.signal,
      onOutput: () => abort.abort(reason),
    });
    expect(await failure(running)).toBe(reason);
    expect(await failure(sh("touch never", { signal: abort.signal }))).toBe(reason);
    expect(existsSync(join(at, "never"))).toBe(false);
  });

  test("one that prints too much is cut off, and the result says so", async () => {
    const result = await sh("yes", { maxBytes: 1000 });
    expect(result.truncated).toBe(true);
    expect(result.stdout.length).toBe(1000);
  });

  test("exactly as much as allowed is not too much", async () => {
    expect(await sh("printf 12345", { maxBytes: 5 })).toMatchObject({ truncated: false, code: 0 });
  });

  test("a background process that holds the output open is not waited for", async () => {
    const started = performance.now();
    const { stdout } = await sh("sleep 5 & echo $!");
    expect(performance.now() - started).toBeLessThan(3000);
    process.kill(Number(stdout.toString()), "SIGKILL");
  });

  test("output can be followed", async () => {
    const heard: string[] = [];
    const result = await sh("echo a; echo b >&2", {
      onOutput: (chunk, from) => heard.push(`${from} ${chunk.toString()}`),
    });
    expect(heard.sort()).toEqual(["stderr b\n", "stdout a\n"]);
    expect(result.stdout.length).toBe(0);
  });

  test("files it makes get the asked umask, ours keep ours", async () => {
    const before = process.umask(0o077);
    try {
      await sh("touch open", { umask: 0o022 });
      writeFileSync(join(at, "closed"), "");
    } finally {
      process.umask(before);
    }
    expect(statSync(join(at, "open")).mode & 0o777).toBe(0o644);
    expect(statSync(join(at, "closed")).mode & 0o777).toBe(0o600);
  });

  test("what can't be started says why", async () => {
    mkdirSync(join(at, "d"));
    const missing = runCommand(join(at, "nothing"), [], { cwd: at, env, timeoutMs: 1000 });
    expect(await failure(missing)).toMatchObject({ code: "internal", details: { errno: "ENOENT" } });
    expect(await failure(sh("true", { cwd: join(at, "gone") }))).toMatchObject({ code: "workspace.invalid" });
  });
});
