import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { processesWithEnv } from "../holders/identity.ts";
import { type Pty, startPty } from "./pty.ts";

interface Seen {
  pty: Pty;
  bytes(): Buffer;
  text(): string;
  /** When this has been printed. */
  shows(pattern: RegExp): Promise<void>;
  type(keys: string): void;
}

let number = 0;

async function start(script: string, { modes = ["-opost"], cols = 80, rows = 24 } = {}): Promise<Seen> {
  const chunks: Buffer[] = [];
  const waiting: { pattern: RegExp; resolve: () => void }[] = [];
  const text = () => Buffer.concat(chunks).toString("utf8");
  const look = () => {
    for (const each of waiting) if (each.pattern.test(text())) each.resolve();
  };
  number += 1;
  const pty = await startPty({
    file: "/bin/sh",
    args: script === "" ? ["-i"] : ["-c", script],
    cwd: "/",
    env: { PATH: process.env.PATH ?? "", TERM: "xterm", PS1: "ready> " },
    cols,
    rows,
    modes,
    marker: { name: "COX_RUN_ID", value: `pty-${process.pid}-${number}` },
    onData: (chunk) => {
      chunks.push(Buffer.from(chunk));
      look();
    },
  });
  onTestFinished(async () => void (await pty.stop(0)));
  return {
    pty,
    bytes: () => Buffer.concat(chunks),
    text,
    shows: (pattern) =>
      new Promise((resolve) => {
        waiting.push({ pattern, resolve });
        look();
      }),
    type: (keys) => pty.write(Buffer.from(keys)),
  };
}

const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

describe("a program on a terminal of its own", () => {
  test("200 of 200 that write and exit at once lose no byte", { timeout: 120_000 }, async () => {
    const expected = Buffer.from(`${Array.from({ length: 5000 }, (_, i) => i + 1).join("\n")}\nEND`);
    const wrong: unknown[] = [];
    for (let i = 0; i < 200; i += 1) {
      const seen = await start(`seq 1 5000; printf END; exit ${i % 7}`);
      const { code } = await seen.pty.exited;
      if (code !== i % 7 || !seen.bytes().equals(expected)) wrong.push([i, code, seen.bytes().length]);
    }
    expect(wrong).toEqual([]);
  });

  test("its exit code and its signal are told", async () => {
    expect(await (await start("exit 7")).pty.exited).toEqual({ code: 7 });
    expect(await (await start("kill -TERM $$")).pty.exited).toEqual({ code: 143, signal: "SIGTERM" });
  });

  test("has the size and the modes it was started with, and follows the size", async () => {
    const seen = await start(
      "trap 'stty size; exit' WINCH; stty size; stty -a; echo ready; while :; do sleep 0.05; done",
      {
        cols: 91,
        rows: 17,
        modes: ["-echo", "erase", "^H", "iutf8"],
      },
    );
    await seen.shows(/ready/);
    expect(seen.text()).toMatch(/^17 91\b/);
    expect(seen.text()).toContain("erase = ^H");
    expect(seen.text()).toMatch(/ -echo /);
    expect(seen.text()).toMatch(/[^-]iutf8/);
    seen.pty.resize(120, 40);
    await seen.pty.exited;
    expect(seen.text().trimEnd().split("\n").at(-1)?.trim()).toBe("40 120");
  });

  test("what is typed before it has begun waits for it, and is not echoed where it should not be", async () => {
    const seen = await start("cat", { modes: ["-echo", "-opost"] });
    seen.type("typed ahead\n\x04");
    await seen.pty.exited;
    expect(seen.text()).toBe("typed ahead\n");
  });

  test("a megabyte of typing gets through to a program that answers it, also to a slow reader", async () => {
    const typed = Buffer.alloc(1024 * 1024, "0123456789abcde\n");
    const seen = await start(`stty raw -echo; printf ready; head -c ${typed.length} | cat`);
    await seen.shows(/ready/);
    seen.pty.write(typed);
    let pauses = 0;
    const slow = setInterval(() => {
      pauses += 1;
      seen.pty.pause();
      setTimeout(() => seen.pty.resume(), 2);
    }, 5);
    await seen.pty.exited;
    clearInterval(slow);
    expect(pauses).toBeGreaterThan(0);
    expect(hash(seen.bytes().subarray("ready".length))).toBe(hash(typed));
  });

  test("what a paused reader has not taken is not lost when the program ends", async () => {
    const seen = await start("stty -opost; printf ready; read _; seq 1 400", { modes: ["-echo"] });
    await seen.shows(/ready/);
    seen.pty.pause();
    seen.type("\n");
    await seen.pty.exited;
    expect(seen.text().endsWith("\n399\n400\n")).toBe(true);
  });

  test("Ctrl-C interrupts what runs in it, not us", async () => {
    const seen = await start("trap 'echo interrupted; exit 3' INT; echo ready; while :; do sleep 0.05; done");
    await seen.shows(/ready/);
    seen.type("\x03");
    expect(await seen.pty.exited).toEqual({ code: 3 });
    expect(seen.text()).toContain("interrupted");
  });

  test("job control works in a shell: Ctrl-Z, jobs, fg, Ctrl-C", async () => {
    const seen = await start("", { modes: ["sane"] });
    await seen.shows(/ready> /);
    seen.type("cat\n");
    seen.type("one\n");
    await seen.shows(/one\r\n[^]*one\r\n/);
    seen.type("\x1a");
    await seen.shows(/Stopped/i);
    seen.type("jobs\n");
    await seen.shows(/jobs[^]*Stopped[^]*ready> /i);
    seen.type("fg\n");
    seen.type("two\n");
    await seen.shows(/two\r\n[^]*two\r\n/);
    seen.type("\x03");
    await seen.shows(/\^C[^]*ready> /);
    seen.type("echo status $?\n");
    await seen.shows(/status 130/);
    seen.type("exit 4\n");
    expect((await seen.pty.exited).code).toBe(4);
  });

  test("Ctrl-Z suspends what runs in it, until it is continued", async () => {
    const seen = await start("exec cat", { modes: ["sane", "-echo"] });
    seen.type("one\n");
    await seen.shows(/one/);
    seen.type("\x1a");
    await vi.waitFor(() => expect(seen.pty.isSuspended()).toBe(true), 10_000);
    seen.type("two\n");
    seen.pty.continue();
    await seen.shows(/two/);
    expect(seen.pty.isSuspended()).toBe(false);
    seen.type("\x04");
    expect(await seen.pty.exited).toEqual({ code: 0 });
  });

  test("signals reach it, and stop ends what ignores them", async () => {
    const polite = await start("trap 'exit 5' USR1; echo ready; while :; do sleep 0.05; done");
    await polite.shows(/ready/);
    polite.pty.signal("SIGUSR1");
    expect(await polite.pty.exited).toEqual({ code: 5 });
    const deaf = await start(
      "trap '' TERM HUP INT; (trap '' TERM HUP; sleep 300) & echo ready; while :; do sleep 0.05; done",
    );
    await deaf.shows(/ready/);
    expect(await deaf.pty.stop(50)).toMatchObject({ signal: "SIGKILL" });
    expect(processesWithEnv("COX_RUN_ID", `pty-${process.pid}-${number}`)).toEqual([]);
  });

  test("typing, resizing and signalling after its end do nothing", async () => {
    const seen = await start("exit 0");
    await seen.pty.exited;
    seen.type("too late");
    seen.pty.resize(10, 10);
    seen.pty.signal("SIGTERM");
    expect(await seen.pty.stop(0)).toEqual({ code: 0 });
  });

  test.runIf(existsSync("/proc/self/fd"))("leaves no descriptor open", async () => {
    const open = () => readdirSync("/proc/self/fd").length;
    const run = async () => (await start("echo x")).pty.exited;
    await run();
    const before = open();
    for (let i = 0; i < 20; i += 1) await run();
    await vi.waitFor(() => expect(open()).toBeLessThanOrEqual(before), 10_000);
  });
});
