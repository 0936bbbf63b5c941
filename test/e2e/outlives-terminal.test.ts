import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { processesWithEnv } from "../../src/lib/process/holders/identity.ts";
import { type Scene, scene, until } from "../support/cox.ts";
import { ended, shows, Tmux } from "../support/tmux.ts";

const SLOW = "cox run --agent demo '@slow 30 100'";

function begin(command: string) {
  const made = scene();
  const terminal = new Tmux(made);
  terminal.type(command);
  return { made, terminal };
}

/** The view, not the host: both carry the home in their environment. */
const viewOf = (made: Scene) =>
  until(() =>
    processesWithEnv("COX_HOME", made.home).find((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("\0run\0--agent"),
    ),
  );

test("a terminal that is closed leaves the run going, and nothing behind", async () => {
  const { made, terminal } = begin(SLOW);
  await shows(terminal, "tick 2");
  terminal.close();
  expect(await ended(made)).toMatchObject({ status: "completed", reason: "" });
  expect(readdirSync(made.workspace)).toEqual([]); // no core file, for example
});

test("Ctrl-] leaves, and says the way back", async () => {
  const { made, terminal } = begin(`${SLOW}; echo "left with $?"`);
  await shows(terminal, "tick 2");
  terminal.key("C-]");
  await shows(terminal, "left with 0");
  expect(terminal.shown()).toMatch(/detached; run (\S+) goes on: `cox attach \1`/);
  terminal.type("cox attach latest; echo attached");
  await shows(terminal, /completed[^]*attached\n/);
  expect(await ended(made)).toMatchObject({ status: "completed" });
});

test.each([
  ["SIGKILL", "completed", ""],
  ["SIGHUP", "completed", ""],
  ["SIGTERM", "failed", "stopped"],
] as const)("%s of the view: the run is %s", async (signal, status, reason) => {
  const { made, terminal } = begin(`${SLOW}; echo "gone with $?"`);
  await shows(terminal, "tick 2");
  process.kill(await viewOf(made), signal);
  await shows(terminal, signal === "SIGTERM" ? "gone with 143" : "gone with");
  expect(await ended(made)).toMatchObject({ status, reason });
});

test("Ctrl-C interrupts the turn, and the command ends as the run did", async () => {
  const { made, terminal } = begin(`${SLOW}; echo "ended with $?"`);
  await shows(terminal, "tick 2");
  terminal.key("C-c");
  await shows(terminal, "ended with 130");
  expect(await ended(made)).toMatchObject({ status: "failed", reason: "stopped" });
});

test("Ctrl-Z gives the shell its terminal, fg goes on", async () => {
  const { made, terminal } = begin(SLOW);
  await shows(terminal, "tick 2");
  terminal.key("C-z");
  await shows(terminal, "Stopped");
  terminal.type("echo meanwhile");
  await shows(terminal, /^meanwhile$/m);
  terminal.type("fg");
  await shows(terminal, "completed");
  expect(terminal.shown()).toContain("tick 30");
  await ended(made);
});

test("another agent that takes over is shown, too", async () => {
  const made = scene();
  mkdirSync(made.home, { recursive: true, mode: 0o700 });
  const other = { id: "other", name: "Other", protocol: "acp", cmd: ["{node}", "{package}/dist/demo.cjs"] };
  writeFileSync(join(made.home, "agents.json"), JSON.stringify([other]));
  const terminal = new Tmux(made);
  terminal.type("cox run --agent demo --fallback other '@error auth'; echo over");
  await shows(terminal, /^over$/m);
  expect(terminal.shown()).toMatch(/other takes over\s+other in/);
  expect(made.runs()).toHaveLength(2);
});

test("a refusal is said as without a terminal, and nothing is made", async () => {
  const { made, terminal } = begin("cox run --agent nosuch 'hi'; echo \"refused with $?\"");
  await shows(terminal, /refused with [1-9]/);
  expect(terminal.shown()).toContain("nosuch");
  expect(existsSync(join(made.home, "projects"))).toBe(false);
});

test.each([
  ["cox run --no-detach", "cox run --no-detach --agent demo '@slow 300 100'"],
  ["cox loop", "cox loop --agent demo '@slow 300 100'"],
])("%s ends with its terminal, in order", async (_, command) => {
  const { made, terminal } = begin(command);
  await shows(terminal, "tick 2");
  terminal.close();
  expect(await ended(made)).toMatchObject({ status: "failed", reason: "stopped" });
  expect(readdirSync(made.workspace)).toEqual([]);
});

test("a chat whose terminal is closed goes on", async () => {
  const { made, terminal } = begin("cox chat --agent demo");
  await shows(terminal, "demo (");
  terminal.type("@slow 20 100");
  await shows(terminal, "tick 2");
  terminal.close();
  await until(() => made.runs()[0]?.events.some((event) => event.type === "complete"));
  expect(made.runs()[0]?.info).toMatchObject({ status: "running" });
  expect((await made.cox(["stop", "latest"])).code).toBe(0);
  await ended(made);
});
