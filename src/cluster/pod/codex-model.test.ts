import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { codexModel } from "./codex-model.ts";

test("the model that a thread ended with, as codex's own record has it", () => {
  const home = temporaryFolder();
  const folder = join(home, "sessions/2026/11/15");
  mkdirSync(folder, { recursive: true });
  const turn = (model: string) => JSON.stringify({ type: "turn_context", payload: { model } });
  const lines = [
    '{"type":"session_meta"}',
    turn("gpt-a"),
    '{"type":"x","text":"\\"turn_context\\""}',
    turn("gpt-b"),
    "{torn",
  ];
  writeFileSync(join(folder, "rollout-2026-11-15T09-00-00-thread-1.jsonl"), lines.join("\n"));
  expect(codexModel("thread-1", { CODEX_HOME: home })).toBe("gpt-b");
  expect(codexModel("thread-2", { CODEX_HOME: home })).toBeUndefined();
  expect(codexModel("thread-1", { CODEX_HOME: "/nowhere" })).toBeUndefined();
});
