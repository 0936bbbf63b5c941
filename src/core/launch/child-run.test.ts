import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { GivenTo } from "../../contract/agent-socket.ts";
import { childLimits } from "./child-limits.ts";
import { childRequest } from "./child-run.ts";
import type { RunRequest } from "./run-request.ts";

const workspace = realpathSync(temporaryFolder());
mkdirSync(join(workspace, "sub"));
symlinkSync("/usr", join(workspace, "out"));

const parent: RunRequest = {
  home: "/home",
  project: "web",
  task: "fix",
  agent: "claude",
  profile: "work",
  model: "opus",
  workspace: "/repo",
  worktree: {},
  prompt: [{ type: "text", text: "mine" }],
  mode: "interactive",
  permissions: "deny",
  permissionKinds: { read: "allow" },
  unattended: "nobody",
  timeoutMs: 60_000,
  env: { KEY: "secret" },
  cleanEnv: true,
  preamble: true,
  review: true,
  looped: true,
  previousRunId: "before",
  resume: { sessionId: "s" },
  by: "ann",
};
const child = (wish: Partial<GivenTo<"spawn_run">> = {}, facts: Partial<RunRequest> = {}) =>
  childRequest({ request: { ...parent, ...facts }, workspace }, "me", { prompt: "do it", ...wish }, 0);

describe("a child", () => {
  test("works on its parent's terms, in its folder, on a task and a prompt of its own", () => {
    expect(child()).toEqual({
      ...parent,
      task: "task-19700101-000000-do-it",
      workspace,
      worktree: undefined,
      prompt: [{ type: "text", text: "do it" }],
      mode: "batch",
      review: false,
      looped: false,
      parentRunId: "me",
      previousRunId: undefined,
      resume: undefined,
      by: "run me",
    });
  });

  test("stays where its parent is fenced in", () => {
    expect(child({ agent: "codex" }, { on: "sandbox", network: "off" })).toMatchObject({
      on: "sandbox",
      network: "off",
    });
  });

  test("that is another agent gets no keys, variables or model of this one", () => {
    const codex = { agent: "codex", profile: "", model: undefined, env: {}, fallback: undefined };
    expect(child({ agent: "Codex" }, { fallback: ["gemini"] })).toMatchObject(codex);
    expect(child({ agent: "claude", model: "haiku" })).toMatchObject({
      profile: "work",
      model: "haiku",
      env: parent.env,
    });
  });

  test("has no more time than its parent", () => {
    expect(child({ timeout_s: 10 }).timeoutMs).toBe(10_000);
    expect(child({ timeout_s: 3600 }).timeoutMs).toBe(60_000);
    expect(child({}, { timeoutMs: undefined }).timeoutMs).toBeUndefined();
  });

  test("works in its parent's folder or below it", () => {
    expect(child({ cwd: "sub" }).workspace).toBe(join(workspace, "sub"));
    expect(child({ cwd: join(workspace, "sub") }).workspace).toBe(join(workspace, "sub"));
    for (const cwd of ["..", "/", "/etc", "out", "out/bin", `${workspace}-2`, "sub/../../x"]) {
      expect(() => child({ cwd })).toThrow("is not inside the workspace of this run");
    }
    expect(() => child({ cwd: "missing" })).toThrow("does not exist");
  });

  test("of a run that is fenced in works in its very folder: what is below it can be exchanged", () => {
    expect(() => child({ cwd: "sub" }, { on: "sandbox" })).toThrow("in a sandbox the runs you start work in");
    expect(child({}, { on: "sandbox" }).workspace).toBe(workspace);
  });

  test.each([{ agent: "../x" }, { task: "a/b" }, { task: "bus.jsonl" }])("with a wrong name is refused: %o", (wish) => {
    expect(() => child(wish)).toThrow();
  });
});

test("limits are those of the config, else the usual ones", () => {
  expect(childLimits({})).toEqual({ depth: 5, live: 20, total: 100 });
  expect(childLimits({ "children.depth": 1, "children.live": 2, "children.total": 3 })).toEqual({
    depth: 1,
    live: 2,
    total: 3,
  });
});
