import { expect, test } from "vitest";
import type { Check } from "../checks.ts";
import { checkAgents } from "./doctor.ts";

const program = (name: string, status: Check["status"]): Check => ({ name, status, text: "" });

test.each<[Check[], Partial<Check>]>([
  [[program("claude", "ok"), program("codex", "warn")], { status: "ok", text: "claude and demo" }],
  [
    [program("claude", "warn"), program("codex", "none")],
    { text: "only demo", remedy: expect.stringMatching(/^log in to claude; until then/) },
  ],
  [
    [program("claude", "none"), program("git", "ok")],
    {
      text: "only demo",
      remedy: expect.stringMatching(/^install one of claude, codex, gemini, opencode, and log in;/),
    },
  ],
])("%j", (programs, check) => {
  expect(checkAgents(programs)).toMatchObject(check);
});
