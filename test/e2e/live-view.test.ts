import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Scene, scene, until } from "../support/cox.ts";
import { ended, shows, Tmux } from "../support/tmux.ts";

/** What a person sees, at a real terminal. */
function begin(command: string, env: NodeJS.ProcessEnv = {}, columns = 100, rows = 30) {
  const made = scene();
  const terminal = new Tmux(made, env, { columns, rows });
  terminal.type(command);
  return { made, terminal };
}

/** Something can be typed while a turn goes on, so that the screen asks for it says nothing. */
const turnOver = (made: Scene) => until(() => made.runs()[0]?.events.some(({ type }) => type === "complete"));

const WORDS = "The quick brown fox jumps over the lazy dog and runs away";
const TEXT = `# Title\\n\\n**${WORDS}** [here](https://x.org)\\n\\n- ${WORDS}\\n`;

const rowsOf = (shown: string) => shown.split("\n").map((row) => row.trimEnd());

test.each([
  [40, "The quick brown fox jumps over the lazy", "dog and runs away here (https://x.org)"],
  [100, `${WORDS} here (https://x.org)`, `• ${WORDS}`],
])("words are whole and Markdown is rendered at %d columns", async (columns, ...rows) => {
  const { made, terminal } = begin(`cox run --agent demo '@stream 2 1 ${TEXT}'`, {}, columns);
  await shows(terminal, "completed");
  await ended(made);
  const shown = rowsOf(terminal.shown());
  expect(shown).toEqual(expect.arrayContaining(["Title", ...rows]));
});

test("the path of the output is on a line of its own", async () => {
  const { made, terminal } = begin("cox run --agent demo '@say hi'", {}, 40);
  await shows(terminal, "output.md");
  const { output_path: path } = await ended(made);
  expect(existsSync(path)).toBe(true);
  expect(rowsOf(terminal.shown())).toContain(path); // the terminal knows that it is one line
});

test("? shows the keys; Ctrl-D leaves, the run goes on, and the way back is said", async () => {
  const { made, terminal } = begin("cox run -i --agent demo '@slow 30 100'; echo \"left with $?\"");
  await shows(terminal, "tick 2");
  terminal.key("?");
  await shows(terminal, /Ctrl-D, Ctrl-\] +leave; the run goes on/);
  terminal.key("C-d");
  await shows(terminal, "left with 0");
  expect(terminal.shown()).toMatch(/goes on: `cox attach/);
  expect(made.runs()[0]?.info?.status).toBe("running");
  terminal.type("cox attach latest");
  await turnOver(made); // what is stopped is a conversation, not its work
  terminal.type("/help");
  await shows(terminal, /\/quit +leaves/);
  terminal.key("C-d");
  await made.cox(["stop", "latest"]);
  expect(await ended(made)).toMatchObject({ status: "completed" });
});

test("/quit ends the run of -i", async () => {
  const { made, terminal } = begin("cox run -i --agent demo '@say hi'");
  await shows(terminal, /hi\n[^]*> /);
  await turnOver(made);
  terminal.type("/quit");
  expect(await ended(made)).toMatchObject({ status: "completed" });
});

/** Longer than the keys of something new rest. */
const rested = () => new Promise((resolve) => setTimeout(resolve, 700));
const isAnswered = (made: Scene) => made.runs()[0]?.events.some(({ type }) => type === "request_resolved") === true;

test("a command line that was meant for another window answers nothing; a single key does, and says so before", async () => {
  const { made, terminal } = begin("cox run --agent demo '@permission Go'");
  await shows(terminal, "[a]llow once");
  for (const line of ["attach latest", "Ask me", "docker ps", "1 2"]) {
    await rested();
    terminal.type(line);
  }
  await rested();
  expect(isAnswered(made)).toBe(false);
  terminal.key("a");
  expect(await ended(made)).toMatchObject({ status: "completed" });
});

test("a window of 40 by 10: a yes counts when every line of a long command was on the screen", async () => {
  const long = Array.from({ length: 30 }, (_, i) => `echo line-${i}`).join("; ");
  const { made, terminal } = begin(`cox run --agent demo '@run ${long}'`, {}, 40, 10);
  await until(() => terminal.screen().includes("before a yes"));
  const seen = new Set<string>();
  for (let presses = 0; !isAnswered(made); presses += 1) {
    expect(presses).toBeLessThan(20);
    await rested();
    for (const [name] of terminal.screen().matchAll(/line-\d+/g)) seen.add(name);
    terminal.key(presses === 0 ? "Space" : "a");
    await rested();
  }
  expect(seen.size).toBe(30);
  await ended(made);
});

describe("simple terminals", () => {
  test("LANG=C has only ASCII", async () => {
    const { made, terminal } = begin("clear; cox run --agent demo $'@plan a; b\\n@tool x\\n@permission Go'", {
      LANG: "C",
      LC_ALL: "C",
    });
    await shows(terminal, "[a]llow once");
    expect(terminal.shown()).toMatch(/^[\x20-\x7e\n]*$/);
    expect(terminal.shown()).toMatch(/^\+ permission\n[^]*\n\+ \[a\]llow once/m);
    await made.cox(["stop", "latest"]);
    await ended(made);
  });

  test("TERM=dumb says what can be typed, and takes lines", async () => {
    const { made, terminal } = begin("TERM=dumb cox run --agent demo '@permission Go'; echo over");
    await shows(terminal, "or here: allow|always|deny");
    expect(terminal.shown()).toContain("your lines answer what is asked; /help shows what else can be typed");
    terminal.type("/help");
    await shows(terminal, /Ctrl-D +leaves/);
    terminal.type("allow");
    await shows(terminal, /completed[^]*\nover/);
    expect(await ended(made)).toMatchObject({ status: "completed" });
  });
});
