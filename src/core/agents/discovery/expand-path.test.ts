import { expect, test } from "vitest";
import { expandPath } from "./expand-path.ts";

const env = { HOME: "/home/ann", CODEX_HOME: "/data/codex", EMPTY: "" };

const cases: Record<string, string | undefined> = {
  "~/.codex/auth.json": "/home/ann/.codex/auth.json",
  "~": "/home/ann",
  "/etc/~x": "/etc/~x",
  "$CODEX_HOME/auth.json": "/data/codex/auth.json",
  "${CODEX_HOME}/auth.json": "/data/codex/auth.json",
  "${CODEX_HOME:-~/.codex}/auth.json": "/data/codex/auth.json",
  "${CLAUDE_CONFIG_DIR:-~/.claude}/x": "/home/ann/.claude/x",
  "${EMPTY:-/tmp}/x": "/tmp/x",
  "$XDG_CONFIG_HOME/opencode": undefined,
  "${EMPTY}/x": undefined,
};

test.each(Object.entries(cases))("%s", (written, path) => {
  expect(expandPath(written, env)).toBe(path);
});

test("without a home there is no ~", () => {
  expect(expandPath("~/x", {})).toBeUndefined();
});
