import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { processesWithEnv } from "../../src/lib/process/holders/identity.ts";
import { type Scene, scene, until } from "../support/cox.ts";
import { Tmux } from "../support/tmux.ts";

/** Runs that ask, and a window of 40 by 10 before them. */
async function begin(...prompts: string[]) {
  const made = scene();
  onTestFinished(() => endAll(made));
  for (const prompt of prompts) await ask(made, prompt);
  return { made, terminal: new Tmux(made, {}, { columns: 40, rows: 10 }) };
}

const ask = (made: Scene, prompt: string) => made.cox(["run", "-d", "--agent", "demo", prompt]);
const hosts = (made: Scene) => readdirSync(join(made.home, "hosts")).filter((name) => name.endsWith(".json"));

async function endAll(made: Scene): Promise<void> {
  await Promise.all(hosts(made).map((name) => made.cox(["stop", name.replace(".json", "")])));
}

const shows = (terminal: Tmux, what: string) => until(() => terminal.screen().includes(what));
/** Longer than the keys of something new rest. */
const rested = () => new Promise((resolve) => setTimeout(resolve, 700));

/** What the agents were told, in the order of the runs. */
const outcomes = (made: Scene) =>
  made
    .runs()
    .map(({ events }) => events.flatMap((event) => (event.type === "request_resolved" ? [event.outcome] : [])));

test("what two runs ask is answered in one narrow window, what is long when all of it was shown", async () => {
  const long = Array.from({ length: 30 }, (_, i) => `echo ${i}`).join("; ");
  const { made, terminal } = await begin(`@run ${long}`, "@permission Delete everything");
  terminal.type('cox inbox -i; echo "left with $?"');
  await shows(terminal, "1 of 2 · permission");
  expect(terminal.screen()).toMatch(/… \d+ lines below \(PgDn\) before a yes/);
  await rested();
  terminal.key("a"); // shows more
  await shows(terminal, "above");
  terminal.key("a"); // too early
  await rested();
  terminal.key("End");
  await shows(terminal, "lines above (PgUp)");
  expect(outcomes(made)).toEqual([[], []]);
  terminal.key("Home");
  for (let i = 0; i < 12; i += 1) terminal.key("PageDown");
  await rested(); // a key that came in pieces means nothing, and keys rest after it
  terminal.key("a");
  await shows(terminal, "Delete everything");
  await until(() => outcomes(made)[0]?.[0] === "allowed");
  await rested();
  terminal.key("d");
  await shows(terminal, "denied; why?");
  terminal.type("not today");
  await shows(terminal, "nobody waits for you");
  await until(() => outcomes(made)[1]?.[0] === "denied");
  terminal.key("q");
  await shows(terminal, "left with 0");
});

test("what was typed ahead answers nothing, and what comes later is shown when it comes", async () => {
  const { made, terminal } = await begin("@permission Delete everything");
  terminal.type("cox inbox -i");
  terminal.key("a"); // before anything was drawn
  await shows(terminal, "Delete everything");
  terminal.key("a");
  await ask(made, "@permission Publish it");
  await shows(terminal, "1 of 2");
  expect(outcomes(made)).toEqual([[], []]);
  await made.cox(["answer", "r1.p0", "deny"]);
  await shows(terminal, "Publish it");
  terminal.key("a"); // was for the one before
  expect(terminal.shown()).toMatch(/^⊘ r1\.p0 denied by/m);
  await rested();
  terminal.key("a");
  await until(() => outcomes(made)[1]?.[0] === "allowed");
  expect(outcomes(made)).toEqual([["denied"], ["allowed"]]);
});

test.each(["attach latest", "do it", "1 2"])("%j, meant for another window, answers nothing", async (line) => {
  const { made, terminal } = await begin("@permission Delete everything");
  terminal.type("cox inbox -i");
  await shows(terminal, "[a]llow once");
  await rested();
  terminal.type(line);
  await rested();
  expect(outcomes(made)).toEqual([[]]);
  terminal.key("a");
  await until(() => outcomes(made)[0]?.[0] === "allowed");
});

test("a window that is resized, suspended, and closed leaves everything as it was", async () => {
  const { made, terminal } = await begin("@permission Delete everything");
  terminal.type("cox inbox -i");
  await shows(terminal, "[a]llow once");
  terminal.resize(80, 20);
  await shows(terminal, "[?] keys");
  terminal.key("C-z");
  await shows(terminal, "Stopped");
  terminal.type("stty -a | grep -o ' icanon'; echo meanwhile");
  await until(() => /icanon\nmeanwhile/.test(terminal.screen()));
  terminal.type("fg");
  await until(() => /fg\n[^]*\[a\]llow once/.test(terminal.screen()));
  const views = () => processesWithEnv("COX_HOME", made.home).length;
  const before = views();
  terminal.close();
  await until(() => views() < before);
  expect(hosts(made)).toHaveLength(1);
  expect(readdirSync(made.workspace)).toEqual([]); // no core file, for example
  expect((await made.cox(["inbox"])).stdout).toContain("Delete everything");
});

test("a signal gives the terminal back", async () => {
  const { made, terminal } = await begin("@permission Delete everything");
  terminal.type('cox inbox -i; echo "left with $?"; stty -a | grep -o " icanon"');
  await shows(terminal, "[a]llow once");
  const view = processesWithEnv("COX_HOME", made.home).find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("\0inbox\0-i"),
  );
  process.kill(view ?? 0, "SIGTERM");
  await until(() => /left with 143\n icanon/.test(terminal.shown()));
});

test("cox ls --watch shows a run that begins, waits and ends", async () => {
  const { made, terminal } = await begin();
  terminal.type('cox ls --watch; echo "left with $?"');
  await shows(terminal, "no runs");
  await ask(made, "@permission Delete everything");
  await shows(terminal, "waiting for you");
  await made.cox(["answer", "latest.p0", "allow"]);
  await shows(terminal, "completed");
  terminal.key("C-d");
  await shows(terminal, "left with 0");
});
