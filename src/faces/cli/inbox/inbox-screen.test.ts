import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../../../test/support/cox.ts";
import { runCommand } from "../../../lib/command/command.ts";
import inbox from "../commands/inbox.ts";
import { testContext } from "../testing/test-context.ts";
import { begin, opened, permission, resolved } from "../testing/test-events.ts";
import { type LiveTestRun, TestHome } from "../testing/test-home.ts";
import { TestTerminal } from "../view/live/testing/test-terminal.ts";

let home: TestHome;
beforeEach(() => {
  home = new TestHome();
});
afterEach(() => home.remove());

const BY = expect.stringMatching(/.+@.+ terminal/);

/** `cox inbox -i` on a terminal of 60 by 12. */
function open() {
  const terminal = new TestTerminal(60, 12);
  const context = testContext({
    env: { ...home.env, NO_COLOR: "1" },
    tty: { columns: 60, rows: 12 },
    onWrite: (text) => terminal.write(text),
  });
  const left = runCommand(inbox, ["-i"], context);
  const shows = (text: string) => until(() => terminal.shown.join("\n").includes(text));
  const press = (key: string) => {
    context.clock.pass(500);
    context.type(key);
    context.clock.pass(300);
  };
  return { terminal, context, left, shows, press };
}

/** As a host does it. */
function reacting(run: LiveTestRun): void {
  run.react = (command) => {
    if (command.type === "answer") run.say([resolved(command.pendingId, "me@box")]);
    return undefined;
  };
}

test("what waits is answered one after the other, and what comes later is shown when it comes", async () => {
  const first = await home.addLiveRun([opened, begin, permission("p0", "ls")], { handle: 1 });
  const second = await home.addLiveRun([opened, begin], { handle: 2 });
  reacting(first);
  reacting(second);
  const { terminal, left, shows, press } = open();
  await shows("$ ls");
  expect(terminal.shown).toEqual([
    "1 of 1 · permission r1.p0 · waiting 1h",
    "demo in /work",
    "Run ls",
    "$ ls",
    "in /work",
    "[a]llow once  [A]lways  [d]eny  [?] keys",
  ]);
  press("a");
  await shows(`✓ r1.p0 allowed by me@box`);
  expect(terminal.shown.at(-2)).toBe("nobody waits for you; what comes is shown here");
  second.say([permission("p0", "make")]);
  await shows("$ make");
  press("d");
  press("\r");
  await shows(`r2.p0 allowed by me@box: Run make`);
  press("q");
  expect(await left).toBe(0);
  const answered = { type: "answer", pendingId: "p0", by: BY };
  expect([first.commands, second.commands]).toEqual([
    [{ ...answered, answer: { optionId: "y" } }],
    [{ ...answered, answer: { optionId: "n" } }],
  ]);
});

test("what is answered elsewhere, or whose run ends, is said, and the next letter is not for the next one", async () => {
  const first = await home.addLiveRun([opened, begin, permission("p0", "one")], { handle: 1 });
  const second = await home.addLiveRun([opened, begin, permission("p0", "two")], { handle: 2 });
  const third = await home.addLiveRun([opened, begin, permission("p0", "three")], { handle: 3 });
  const { context, left, shows, press } = open();
  await shows("$ one");
  context.clock.pass(500);
  first.say([resolved("p0", "tom@box")]);
  await shows("$ two");
  context.type("a");
  await shows(`✓ r1.p0 allowed by tom@box: Run one`);
  second.end();
  await shows(`⊘ r2.p0 no longer asked: its run has ended`);
  await shows("$ three");
  context.type("a");
  press("\x03");
  expect(await left).toBe(0);
  expect([first, second, third].flatMap(({ commands }) => commands)).toEqual([]);
});

test("a command line for another window answers nothing, however long the request stood there", async () => {
  const run = await home.addLiveRun([opened, begin, permission("p0", "ls")], { handle: 1 });
  const { context, left, shows, press } = open();
  await shows("$ ls");
  context.clock.pass(3000);
  for (const line of ["cat a.txt", "attach latest", "1 2"]) {
    for (const key of line) {
      context.type(key);
      context.clock.pass(120);
    }
    context.type("\r");
    context.clock.pass(1000);
  }
  press("\x03");
  await left;
  expect(run.commands).toEqual([]);
});

test("a key that decides says so before it does, counts with Enter at once, and not after a look at the rest", async () => {
  const run = await home.addLiveRun([opened, begin, permission("p0", "ls")], { handle: 1 });
  const { terminal, context, left, shows, press } = open();
  await shows("$ ls");
  context.clock.pass(500);
  context.type("a");
  expect(terminal.shown.at(-1)).toBe("allow once … any other key cancels");
  context.type("\x1b[B"); // looks again
  expect(terminal.shown.at(-1)).toBe("[a]llow once  [A]lways  [d]eny  [?] keys");
  context.clock.pass(1000);
  expect(run.commands).toEqual([]);
  context.type("a\r");
  await until(() => run.commands.length === 1);
  press("\x03");
  await left;
});

test("what is asked anew under the same name, before the key was sent on, is not what was answered", async () => {
  const run = await home.addLiveRun([opened, begin, permission("p0", "ls")], { handle: 1 });
  const { left, shows, press } = open();
  await shows("$ ls");
  run.say([resolved("p0", "tom@box"), permission("p0", "rm")]);
  press("a");
  await shows("$ rm");
  await shows("r1.p0 not answered");
  press("\x03");
  await left;
  expect(run.commands).toEqual([]);
});

test("an answer that is refused is said, and asked again", async () => {
  const run = await home.addLiveRun([opened, begin, permission("p0")], { handle: 1 });
  run.react = () => ({ id: 1, error: { code: "request.not_found", message: "not now" } });
  const { left, shows, press } = open();
  await shows("$ ls");
  press("a");
  await shows(`✗ r1.p0 not answered`);
  await shows("$ ls");
  press("\x1d");
  await left;
});

test.each([
  [{ tty: false }, {}, "cox inbox -i: needs a terminal; `cox inbox` lists what waits, and how to answer"],
  [{ tty: true }, { TERM: "dumb" }, "cox inbox -i: this terminal (TERM=dumb) can't show it"],
  [{ tty: true }, { COX_RUN_ID: "R" }, "cox inbox -i: refused inside run R"],
])("refused: %j %j", async (options, env, message) => {
  const context = testContext({ ...options, env: { ...home.env, ...env } });
  await expect(runCommand(inbox, ["-i"], context)).rejects.toThrow(message);
});
