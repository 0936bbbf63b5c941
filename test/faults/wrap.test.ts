import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, scene } from "../support/cox.ts";
import { openTerminal } from "../support/terminal.ts";

const COMMANDS = 200;
const AT_ONCE = 4;
const wrap = [process.execPath, join(root, "bin/cox"), "wrap", "-q", "--"] as const;
const shown = Array.from({ length: 400 }, (_, i) => `line ${i + 1}\r\n`).join("");

/** A program that writes and exits at once is where a terminal's last bytes get lost. */
test("200 of 200 short commands through cox wrap lose no byte", async () => {
  const made = scene();
  let begun = 0;
  const oneByOne = async () => {
    while (begun < COMMANDS) {
      begun += 1;
      const argv = [...wrap, "seq", "-f", "line %g", "400"] as const;
      const terminal = await openTerminal(argv, { cwd: made.workspace, env: made.env });
      expect(await terminal.exited).toEqual({ code: 0 });
      expect(terminal.bytes().toString()).toBe(shown);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, oneByOne));
  const recorded = made.runs().map(({ dir }) => readFileSync(join(dir, "agent-stdout.txt"), "utf8"));
  expect(recorded).toHaveLength(COMMANDS);
  for (const text of recorded) expect(text).toBe(shown);
});
