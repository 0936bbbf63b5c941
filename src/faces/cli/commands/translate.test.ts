import { describe, expect, test } from "vitest";
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

describe("the wrong protocol", () => {
  const codex = [
    { type: "thread.started", thread_id: "t" },
    { type: "turn.started" },
    { type: "item.completed", item: { id: "i", type: "agent_message", text: "hi" } },
    { type: "error", message: "no" },
  ];
  const cox = async (protocol: string, lines: readonly object[]) => {
    const context = testContext({ stdin: lines.map((line) => `${JSON.stringify(line)}\n`).join("") });
    const code = await runCommand(translate, ["-p", protocol], context);
    return { code, err: context.err() };
  };

  test.each([
    [
      "claude-code",
      codex,
      "nothing in stdin matches claude-code; it looks like codex-exec: cox translate -p codex-exec",
    ],
    ["acp", [{ a: 1 }], "nothing in stdin matches acp, nor claude-code, codex, codex-exec, gemini, opencode"],
  ])("of which nothing is understood: %s", async (protocol, lines, why) => {
    await expect(cox(protocol, lines)).rejects.toMatchObject({
      code: "usage.invalid",
      message: `cox translate: ${why}`,
    });
  });

  test("of which little is understood is told, the right one is not", async () => {
    expect(await cox("opencode", codex)).toEqual({
      code: 0,
      err: "cox: little in stdin matches opencode; it looks like codex-exec: cox translate -p codex-exec\n",
    });
    expect(await cox("codex-exec", codex)).toEqual({ code: 0, err: "" });
    expect(await cox("codex-exec", [])).toEqual({ code: 0, err: "" });
  });
});
