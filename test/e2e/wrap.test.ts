import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { processesWithEnv } from "../../src/lib/process/holders/identity.ts";
import { parseCastEvent, parseCastHeader } from "../../src/lib/text/asciicast.ts";
import { finished, root, type Scene, scene, until } from "../support/cox.ts";
import { openTerminal, type PersonsTerminal } from "../support/terminal.ts";

const cox = [process.execPath, join(root, "bin/cox")] as const;
const wrap = [...cox, "wrap", "--quiet", "--"] as const;
const screen = [process.execPath, join(root, "test/fakes/full-screen.mjs")] as const;
const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const open = (made: Scene, argv: readonly [string, ...string[]]) =>
  openTerminal(argv, { cwd: made.workspace, env: made.env });

/** The same program, used in the same way, in a terminal alone and through `cox wrap`. */
async function both(
  program: readonly [string, ...string[]],
  use: (terminal: PersonsTerminal, made: Scene) => Promise<void>,
  made = scene(),
) {
  const result = [];
  for (const argv of [program, [...wrap, ...program]] as const) {
    const terminal = await open(made, argv);
    await use(terminal, made);
    result.push({ exit: await terminal.exited, bytes: terminal.bytes() });
  }
  const [alone, wrapped] = result;
  const [run] = made.runs();
  if (alone === undefined || wrapped === undefined || run === undefined) throw new Error("one is missing");
  return { alone, wrapped, run, recorded: readFileSync(join(run.dir, "agent-stdout.txt")), made };
}

function cast(dir: string) {
  const [first = "", ...lines] = readFileSync(join(dir, "terminal.cast"), "utf8").trimEnd().split("\n");
  const events = lines.map((line) => parseCastEvent(line) ?? { time: -1, type: "damaged" as const });
  const text = events.map((event) => (event.type === "output" ? event.text : "")).join("");
  return { header: parseCastHeader(first), events, text };
}

describe("cox wrap behaves as the terminal alone", () => {
  test("for a full-screen program: keys, Ctrl-C, paste, mouse, resizing, exit code", async () => {
    const use = async (terminal: PersonsTerminal) => {
      await terminal.shows(/100 x 30[^]*ready/);
      for (const [keys, shown] of [
        ["a", /1: 61/],
        ["\x03", /2: 03/],
        ["\x1a", /3: 1a/],
        ["\x1b[200~pasted\r\ntext\x1b[201~", /4: 1b5b3230307e7061737465640d0a746578741b5b3230317e/],
        ["\x1b[M !!", /5: 1b5b4d202121/],
        ["€", /6: e282ac/],
      ] as const) {
        terminal.type(keys);
        await terminal.shows(shown);
      }
      terminal.resize(80, 20);
      await terminal.shows(/80 x 20/);
      terminal.type("q");
    };
    const { alone, wrapped, run, recorded } = await both(screen, use);
    expect(alone.exit).toEqual({ code: 7 });
    expect(wrapped.exit).toEqual({ code: 7 });
    expect(wrapped.bytes.toString()).toBe(alone.bytes.toString());
    expect(recorded.equals(alone.bytes)).toBe(true);
    const { header, events, text } = cast(run.dir);
    expect(header).toMatchObject({ width: 100, height: 30, env: { TERM: "xterm-256color" } });
    expect(Buffer.from(text).equals(alone.bytes)).toBe(true);
    expect(events.filter(({ type }) => type !== "output")).toEqual([
      { time: expect.any(Number), type: "resize", width: 80, height: 20 },
    ]);
    expect(events.map(({ time }) => time)).toEqual(events.map(({ time }) => time).toSorted((a, b) => a - b));
    // All of it was on the other screen.
    expect(readFileSync(join(run.dir, "output.md"), "utf8")).toBe("");
  });

  test.runIf(existsSync("/usr/bin/vim"))("for vim", async () => {
    const use = async (terminal: PersonsTerminal, made: Scene) => {
      rmSync(join(made.workspace, "note.txt"), { force: true });
      await terminal.shows(/New.*\x1b\[\?25h/s);
      terminal.type("ihello wörld");
      await terminal.shows(/wörld/);
      terminal.type("\x1b");
      await terminal.shows(/[^]/);
      terminal.type(":wq\r");
      await terminal.exited;
      expect(readFileSync(join(made.workspace, "note.txt"), "utf8")).toBe("hello wörld\n");
    };
    const vim = ["/usr/bin/vim", "-u", "NONE", "-n", "--cmd", "set ttimeoutlen=10", "note.txt"] as const;
    const { alone, wrapped, recorded } = await both(vim, use);
    expect(wrapped.exit).toEqual(alone.exit);
    expect(wrapped.bytes.toString()).toBe(alone.bytes.toString());
    expect(recorded.equals(alone.bytes)).toBe(true);
  });

  test("for cat of 10 MB", { timeout: 60_000 }, async () => {
    const line = `${"0123456789 äöü € 😀 ".repeat(4)}\n`;
    const text = line.repeat(Math.ceil((10 * 1024 * 1024) / Buffer.byteLength(line)));
    const made = scene();
    writeFileSync(join(made.workspace, "large.txt"), text);
    const { alone, wrapped, recorded, run } = await both(["/bin/cat", "large.txt"], async () => {}, made);
    const shown = Buffer.from(text.replaceAll("\n", "\r\n"));
    expect(hash(alone.bytes)).toBe(hash(shown));
    expect(hash(wrapped.bytes)).toBe(hash(shown));
    expect(hash(recorded)).toBe(hash(shown));
    expect(hash(Buffer.from(cast(run.dir).text))).toBe(hash(shown));
    expect(hash(readFileSync(join(run.dir, "output.md")))).toBe(hash(Buffer.from(text.replaceAll(" \n", "\n"))));
  });

  test("in a shell: Ctrl-Z and fg, and the terminal is as before", async () => {
    const made = scene();
    const shell = await openTerminal(["/bin/sh", "-i"], {
      cwd: made.workspace,
      env: { ...made.env, PS1: "ready> ", ENV: "" },
    });
    await shell.shows(/ready> /);
    shell.type("stty -g > before\n");
    await shell.shows(/ready> /);
    shell.type(`${cox.join(" ")} wrap -- sh -c 'echo begun; kill -STOP $$; echo resumed'\n`);
    await shell.shows(/\nbegun[^]*Stopped[^]*ready> /i);
    shell.type("stty -g > during\n");
    await shell.shows(/ready> /);
    shell.type("fg\n");
    await shell.shows(/\nresumed[^]*recorded as run [^]*ready> /);
    // A program that leaves Ctrl-Z to the terminal, as most do.
    shell.type(`${cox.join(" ")} wrap --quiet -- cat\n`);
    await shell.shows(/-- cat\r\n/);
    shell.type("one\n");
    await shell.shows(/one\r\n[^]*one\r\n/);
    shell.type("\x1a");
    await shell.shows(/Stopped[^]*ready> /i);
    shell.type("fg\n");
    await shell.shows(/cat\r\n/);
    shell.type("two\n");
    await shell.shows(/two\r\n[^]*two\r\n/);
    shell.type("\x04");
    await shell.shows(/ready> /);
    shell.type("stty -g > after; exit 5\n");
    expect((await shell.exited).code).toBe(5);
    const [before, during, after] = ["before", "during", "after"].map((name) =>
      readFileSync(join(made.workspace, name), "utf8"),
    );
    expect([during, after]).toEqual([before, before]);
  });
});

describe("cox wrap keeps a run", () => {
  test("like any other: record, ledger, bus, environment, output", async () => {
    const made = scene();
    const script = 'printf "\\033[1m%s\\033[0m %s %s\\n" "$JRUN_ID" "$JRUN_TASK_ID" "$COX_HOME"; pwd; umask; exit 4';
    const { code, stdout, stderr } = await made.cox([
      "wrap",
      "--task",
      "t1",
      "--project",
      "p1",
      "--",
      "sh",
      "-c",
      script,
    ]);
    expect(code).toBe(4);
    const [run] = made.runs();
    const id = run?.info?.run_id ?? "";
    expect(stdout).toBe(`\x1b[1m${id}\x1b[0m t1 ${made.home}\n${made.workspace}\n0022\n`);
    expect(stderr).toBe("cox: recorded as run r1; see it again with `cox play r1`\n");
    expect(run?.info).toMatchObject({
      agent: "sh",
      mode: "interactive",
      process_ownership: "managed",
      status: "failed",
      reason: "exit_code",
      exit_code: 4,
      cwd: made.workspace,
    });
    expect(run?.events.map((event) => event.type === "session_status" && event.status)).toEqual(["new", "closed"]);
    expect(readFileSync(join(run?.dir ?? "", "output.md"), "utf8")).toBe(
      `${id} t1 ${made.home}\n${made.workspace}\n0022\n`,
    );
    expect(made.ledger()).toMatchObject([
      { type: "start", run_id: id, agent: "sh", title: expect.stringContaining("sh -c") },
      { type: "end", run_id: id, status: "failed", exit_code: 4 },
    ]);
    expect(readFileSync(join(made.home, "projects/p1/t1/TASK-MESSAGE-BUS.md"), "utf8")).toMatch(
      /RUN_START[^]*RUN_CRASH/,
    );
    expect((await made.cox(["ls"])).stdout).toContain("failed (exit_code)");
  });

  test("from a pipe into a pipe, byte by byte", async () => {
    const made = scene();
    const input = "one\ntwo €\n";
    const { code, stdout, stderr } = await made.cox(["wrap", "-q", "--", "cat"], { input });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: input, stderr: "" });
    expect(cast(made.runs()[0]?.dir ?? "").text).toBe("one\r\ntwo €\r\n");
  });

  test("with stderr apart where that is no terminal, as a shell has it", async () => {
    const made = scene();
    const script = "echo out; echo wrong >&2; test -t 1 && test ! -t 2 && echo apart";
    const { code, stdout, stderr } = await made.cox(["wrap", "-q", "--", "sh", "-c", script]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "out\napart\n", stderr: "wrong\n" });
    const [run] = made.runs();
    const kept = (name: string) => readFileSync(join(run?.dir ?? "", name), "utf8");
    expect([kept("agent-stdout.txt"), kept("agent-stderr.txt"), kept("output.md")]).toEqual([
      "out\napart\n",
      "wrong\n",
      "out\napart\n",
    ]);
  });

  test("from a pipe whose last line has no end", async () => {
    const { code, stdout } = await scene().cox(["wrap", "-q", "--", "cat"], { input: "one\ntwo" });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "one\ntwo" });
  });

  test("what the program left as its output is kept", async () => {
    const made = scene();
    await made.cox(["wrap", "-q", "--", "sh", "-c", 'echo printed; echo mine > "$RUN_FOLDER/output.md"']);
    expect(readFileSync(join(made.runs()[0]?.dir ?? "", "output.md"), "utf8")).toBe("mine\n");
  });

  test("a signal reaches the program, and its end is ours", async () => {
    const made = scene();
    const child = made.start([
      "wrap",
      "-q",
      "--",
      "sh",
      "-c",
      "trap 'echo bye; exit 9' TERM; echo begun; while :; do sleep 0.05; done",
    ]);
    const end = finished(child);
    await until(() => printed(made).includes("begun"));
    child.kill("SIGTERM");
    expect(await end).toMatchObject({ code: 9, stdout: expect.stringMatching(/^begun\n[^]*bye\n$/) });
  });

  test("cox stop ends it, from elsewhere", async () => {
    const made = scene();
    const child = made.start(["wrap", "-q", "--", "sh", "-c", "echo begun; sleep 300"]);
    const end = finished(child);
    await until(() => printed(made).includes("begun"));
    expect((await made.cox(["stop", "latest"])).code).toBe(0);
    expect((await end).code).toBe(0);
    expect(made.runs()[0]?.info).toMatchObject({ status: "completed", exit_code: 0 });
  });

  test("killed, it is completed by whoever comes next, and nothing is left of it", async () => {
    const made = scene();
    const child = made.start([
      "wrap",
      "-q",
      "--",
      "sh",
      "-c",
      "trap 'touch hung-up' HUP; printf '\\033[1mbegun\\033[0m\\n'; while :; do sleep 0.05; done",
    ]);
    const end = finished(child);
    await until(() => printed(made).includes("begun") && recorded(made).includes("begun"));
    child.kill("SIGKILL");
    await end;
    await until(() => existsSync(join(made.workspace, "hung-up")));
    expect((await made.cox(["ls"])).stdout).toContain("host_lost");
    const [run] = made.runs();
    expect(run?.info).toMatchObject({ status: "failed", reason: "host_lost" });
    expect(readFileSync(join(run?.dir ?? "", "output.md"), "utf8")).toBe("begun\n");
    expect(processesWithEnv("COX_RUN_ID", run?.info?.run_id ?? "")).toEqual([]);
    expect((await made.cox(["play", "latest"])).stdout).toBe("\x1b[1mbegun\x1b[0m\r\n");
  });

  test.each([
    [["wrap"], 2, "which program?"],
    [["wrap", "--", "no-such-program"], 127, "no-such-program: not found on PATH"],
    [["wrap", "--", "./no-such-program"], 127, "there is no such file"],
  ])("%j is refused before anything is made", async (args, code, message) => {
    const made = scene();
    expect(await made.cox(args)).toMatchObject({ code, stderr: expect.stringContaining(message) });
    expect(existsSync(join(made.home, "projects"))).toBe(false);
  });
});

const printed = (made: Scene): string => kept(made, "agent-stdout.txt");
const recorded = (made: Scene): string => kept(made, "terminal.cast");

function kept(made: Scene, name: string): string {
  const dir = existsSync(join(made.home, "projects")) ? made.runs()[0]?.dir : undefined;
  const path = join(dir ?? "", name);
  return dir !== undefined && existsSync(path) ? readFileSync(path, "utf8") : "";
}
