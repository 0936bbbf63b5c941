import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root, type Scene, scene } from "../support/cox.ts";
import { openTerminal } from "../support/terminal.ts";

const cox = [process.execPath, join(root, "bin/cox")] as const;
const open = (made: Scene, argv: readonly [string, ...string[]]) =>
  openTerminal(argv, { cwd: made.workspace, env: made.env });

describe("cox play", () => {
  test("shows it again in its own time, and gives the terminal back", async () => {
    const made = scene();
    await made.cox(["wrap", "-q", "--", "sh", "-c", "printf '\\033[?1049h\\033[?25lone'; sleep 0.3; printf two"]);
    const began = performance.now();
    const terminal = await open(made, [...cox, "play", "latest"]);
    expect(await terminal.exited).toEqual({ code: 0 });
    expect(performance.now() - began).toBeGreaterThan(300);
    expect(terminal.bytes().toString()).toMatch(/^\x1b\[\?1049h\x1b\[\?25lonetwo\x1b\[\?1049l\x1b\[\?25h/);
  });

  test("Ctrl-C ends it; --speed and --max-wait shorten it", async () => {
    const made = scene();
    await made.cox(["wrap", "-q", "--", "sh", "-c", "printf one; sleep 1; printf two"]);
    const [run] = made.runs();
    const path = join(run?.dir ?? "", "terminal.cast");
    writeFileSync(path, readFileSync(path, "utf8").replace(/\[[\d.]+,"o","two"\]/, '[7200,"o","two"]'));
    const patient = await open(made, [...cox, "play", "latest"]);
    await patient.shows(/one/);
    patient.type("\x03");
    expect(await patient.exited).toMatchObject({ code: 130 });
    expect(patient.bytes().toString()).not.toContain("two");
    for (const args of [
      ["--speed", "1000000"],
      ["--max-wait", "0.1"],
    ]) {
      const hurried = await open(made, [...cox, "play", "latest", ...args]);
      await hurried.shows(/onetwo/);
      expect(await hurried.exited).toEqual({ code: 0 });
    }
  });

  test.runIf(existsSync("/usr/bin/asciinema"))("asciinema plays the same", async () => {
    const made = scene();
    const program = "printf '\\033[?1049h\\033[2J€ 😀 one\\r\\n'; sleep 0.2; printf '\\033[31mtwo\\033[?1049l'";
    const live = await open(made, [...cox, "wrap", "-q", "--", "sh", "-c", program]);
    live.resize(80, 20);
    expect(await live.exited).toEqual({ code: 0 });
    const file = join(made.runs()[0]?.dir ?? "", "terminal.cast");
    for (const how of [["cat"], ["play", "-s", "100"]]) {
      const player = await open(made, ["/usr/bin/asciinema", ...how, file]);
      expect(await player.exited).toEqual({ code: 0 });
      expect(player.bytes().toString()).toBe(live.bytes().toString());
    }
  });

  test("a run without a recording says so", async () => {
    const made = scene();
    await made.cox(["run", "--agent", "demo", "--", "@say hi"]);
    const { code, stderr } = await made.cox(["play", "latest"]);
    expect(code).toBe(1);
    expect(stderr).toContain("no terminal was recorded");
  });
});
