import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../../../test/support/cox.ts";
import { runCommand } from "../../../lib/command/command.ts";
import ls from "../commands/ls.ts";
import { testContext } from "../testing/test-context.ts";
import { begin, opened, permission } from "../testing/test-events.ts";
import { TestHome } from "../testing/test-home.ts";
import { TestTerminal } from "./live/testing/test-terminal.ts";

let home: TestHome;
beforeEach(() => {
  home = new TestHome();
});
afterEach(() => home.remove());

test("the list follows what runs do, in a window of 40 by 10", async () => {
  const terminal = new TestTerminal(40, 10);
  const tty = { columns: 40, rows: 10 };
  const context = testContext({ env: home.env, tty, onWrite: (text) => terminal.write(text) });
  const left = runCommand(ls, ["--watch"], context);
  const shows = (what: RegExp) => until(() => what.test(terminal.shown.join("\n")));
  await shows(/^no runs[^]*\n\[q\] leave$/);
  const run = await home.addLiveRun([opened, begin]);
  await shows(/running/);
  run.say([permission("p0")]);
  await shows(/waiting for you/);
  run.end();
  await shows(/completed/);
  for (let i = 0; i < 12; i += 1) await home.addLiveRun([opened, begin]);
  await shows(/… 7 lines below \(PgDn\)\n\[q\] leave$/);
  expect(terminal.shown.filter((line) => line.length > 39)).toEqual([]);
  expect(terminal.shown).toHaveLength(9);
  context.type("\x1b[F");
  expect(terminal.shown.at(-3)).toContain("completed"); // the oldest
  context.type("q");
  expect(await left).toBe(0);
  expect(terminal.shown).toEqual([]);
});

test("without a terminal it is refused, with what to do", async () => {
  const refused = home.cox(ls, "--watch");
  await expect(refused).rejects.toThrow("cox ls --watch: needs a terminal; `cox ls` prints the list once");
});
