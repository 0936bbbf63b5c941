import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { systemClock } from "../../lib/base/clock.ts";
import { parseJournal } from "../../lib/files/journal-line.ts";
import { Recording } from "../store/events/recording.ts";
import { openHome } from "../store/home.ts";
import { runPaths } from "../store/runs/run-directory.ts";
import { startWrap, type WrapSpec } from "./wrap.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

function spec(script: string, onData: WrapSpec["onData"] = () => {}): WrapSpec {
  const folder = temporaryFolder();
  return {
    home: openHome(join(folder, "home")),
    project: "p",
    task: "t",
    agent: "sh",
    file: "/bin/sh",
    args: ["-c", script],
    cwd: folder,
    callerEnv: { PATH: process.env.PATH, TERM: "xterm", ANTHROPIC_API_KEY: "their own" },
    bin: "/nowhere/bin",
    size: { cols: 80, rows: 24 },
    modes: ["sane", "-opost"],
    clock: systemClock,
    onData,
  };
}

const eventsOf = (path: string) => parseJournal(readFileSync(path)).records.map(({ value }) => value);

describe("a wrapped program", () => {
  test("40 of 40 that write and exit at once lose no byte, shown or recorded", { timeout: 120_000 }, async () => {
    const expected = `${Array.from({ length: 3000 }, (_, i) => i + 1).join("\n")}\nEND`;
    const wanted = spec("seq 1 3000; printf END");
    const wrong: string[] = [];
    for (let i = 0; i < 40; i += 1) {
      const shown: Buffer[] = [];
      const run = await startWrap({ ...wanted, onData: (chunk) => void shown.push(chunk) });
      const info = await run.ended;
      const recorded = readFileSync(info.stdout_path, "utf8");
      if (Buffer.concat(shown).toString() !== expected || recorded !== expected) wrong.push(run.runId);
    }
    expect(wrong).toEqual([]);
  });

  test("has the person's whole environment, and the run's", async () => {
    const run = await startWrap(spec('echo "$ANTHROPIC_API_KEY $JRUN_ID $JRUN_PROJECT_ID"; echo "$PATH"'));
    const info = await run.ended;
    expect(readFileSync(info.stdout_path, "utf8")).toMatch(
      new RegExp(`^their own ${run.runId} p\n/nowhere/bin:${process.env.PATH}\n$`),
    );
    expect(info).toMatchObject({ status: "completed", exit_code: 0, agent: "sh", mode: "interactive" });
  });

  test("is not disturbed when the disk takes no more: the record says that it isn't whole", async () => {
    const shown: Buffer[] = [];
    vi.spyOn(Recording.prototype, "output").mockImplementation(() => {
      throw new Error("no space left");
    });
    const run = await startWrap(spec("echo one; echo two", (chunk) => void shown.push(chunk)));
    const info = await run.ended;
    expect(Buffer.concat(shown).toString()).toBe("one\ntwo\n");
    expect(info).toMatchObject({ status: "completed", exit_code: 0 });
    const events = eventsOf(join(info.stdout_path, "../events.jsonl"));
    expect(events.filter(({ type }) => type === "notice")).toMatchObject([
      { code: "recording_stopped", text: "the terminal is not recorded any further: no space left" },
    ]);
  });

  test("that can't be started is a failed run, and its claim is gone", async () => {
    const wanted = spec("true");
    const size = { cols: "wide" as never, rows: 24 };
    await expect(startWrap({ ...wanted, size })).rejects.toThrow(/open a terminal: /);
    expect(readdirSync(wanted.home.hosts)).toEqual([]);
    expect(eventsOf(wanted.home.ledger)).toMatchObject([{ type: "start" }, { type: "end", status: "failed" }]);
  });

  test("takes what is typed elsewhere, and refuses what only agents understand", async () => {
    const run = await startWrap(spec("read line; echo got $line"));
    await expect(run.send({ type: "interrupt" })).rejects.toThrow(/a person's own terminal; interrupt has no meaning/);
    await run.send({ type: "input", data: "typed\n" });
    const info = await run.ended;
    expect(readFileSync(info.stdout_path, "utf8")).toContain("got typed");
    expect(existsSync(runPaths(join(info.stdout_path, "..")).cast)).toBe(true);
  });

  test("can be stopped, and that is no failure", async () => {
    const run = await startWrap(spec("trap '' TERM HUP; while :; do sleep 0.05; done"));
    await run.send({ type: "stop", graceMs: 50 });
    expect(await run.ended).toMatchObject({ status: "completed", exit_code: 0 });
  });
});
