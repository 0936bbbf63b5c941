import { expect, test } from "vitest";
import { runCommand } from "../../../lib/command/command.ts";
import { testContext } from "../testing/test-context.ts";
import translate from "./translate.ts";

test("a saved stream on a terminal: nothing in it is obeyed, and nothing is lost", async () => {
  const said = "red \x9b31m and turned \u202egnp.exe";
  const item = { type: "item.completed", item: { id: "i", type: "agent_message", text: said } };
  const context = testContext({ stdin: `${JSON.stringify(item)}\n`, tty: true });
  expect(await runCommand(translate, ["--protocol", "codex-exec"], context)).toBe(0);
  expect(context.out()).not.toMatch(/[\x7f-\x9f\u202a-\u202e]/);
  const events = context
    .out()
    .trim()
    .split("\n")
    .map((line): { text?: string } => JSON.parse(line));
  expect(events.map(({ text }) => text)).toContain(said);
});
