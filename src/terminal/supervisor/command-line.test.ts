import { describe, expect, test } from "vitest";
import { splitCommand } from "./command-line.ts";

describe("a command line", () => {
  test.each<[string, string[]]>([
    ["claude --dangerously-skip-permissions", ["claude", "--dangerously-skip-permissions"]],
    ["  claude   -p  ", ["claude", "-p"]],
    [
      "claude --append-system-prompt 'be brief; rm -rf $HOME'",
      ["claude", "--append-system-prompt", "be brief; rm -rf $HOME"],
    ],
    [`a "b c" 'd "e"' f\\ g`, ["a", "b c", 'd "e"', "f g"]],
    [`a "say \\"hi\\" \\n" ''`, ["a", 'say "hi" \\n', ""]],
    ["a --x=1 | b && c", ["a", "--x=1", "|", "b", "&&", "c"]], // nothing of a shell: these are words
    ["a pre'mid'post", ["a", "premidpost"]],
  ])("%s", (text, words) => {
    expect(splitCommand(text)).toEqual(words);
  });

  test.each(["", "   ", "''", "claude 'unclosed", 'claude "unclosed'])("refuses %j", (text) => {
    expect(() => splitCommand(text)).toThrowError(expect.objectContaining({ code: "usage.invalid" }));
  });
});
