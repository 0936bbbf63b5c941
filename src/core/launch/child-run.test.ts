import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { GivenTo } from "../../contract/agent-socket.ts";
import type { DecidedRequest } from "../../contract/runs/request.ts";
import { childLimits } from "./child-limits.ts";
import { childRequest } from "./child-run.ts";

const workspace = realpathSync(temporaryFolder());
mkdirSync(join(workspace, "sub"));
symlinkSync("/usr", join(workspace, "out"));

const parent: DecidedRequest = {
  who: { agent: "claude", profile: "work", model: "opus" },
  what: { prompt: [{ type: "text", text: "mine" }], mode: "interactive", review: true, looped: true, title: "Mine" },
  where: { project: "web", task: "fix", workspace, worktree: {}, env: { KEY: "secret" }, cleanEnv: true },
  limits: { permissions: "deny", permissionKinds: { read: "allow" }, unattended: "nobody", timeoutMs: 60_000 },
  lineage: { by: "ann", previous: "before", conversation: { sessionId: "s" } },
};
type Facts = { [K in keyof DecidedRequest]?: Partial<DecidedRequest[K]> };
const child = (wish: Partial<GivenTo<"spawn_run">> = {}, { who, where, limits }: Facts = {}) =>
  childRequest(
    {
      ...parent,
      who: { ...parent.who, ...who },
      where: { ...parent.where, ...where },
      limits: { ...parent.limits, ...limits },
    },
    "me",
    { prompt: "do it", ...wish },
  );

describe("a child", () => {
  test("works on its parent's terms, in its folder, on a task and a prompt of its own", () => {
    expect(child()).toEqual({
      who: parent.who,
      what: { prompt: [{ type: "text", text: "do it" }], mode: "batch" },
      where: { ...parent.where, task: undefined, workspace, worktree: undefined },
      limits: parent.limits,
      lineage: { parent: "me", by: "run me" },
    });
  });

  test("stays where its parent is fenced in", () => {
    const fenced = { on: "sandbox", network: "off" } as const;
    expect(child({ agent: "codex" }, { where: fenced })).toMatchObject({ where: fenced });
  });

  test("that is another agent gets no keys, variables or model of this one", () => {
    const codex = child({ agent: "Codex" }, { who: { fallback: ["gemini"] } });
    expect(codex).toMatchObject({ who: { agent: "codex" }, where: { env: {} } });
    expect(codex.who).toEqual({ agent: "codex" });
    expect(child({ agent: "claude", model: "haiku" })).toMatchObject({
      who: { profile: "work", model: "haiku" },
      where: { env: { KEY: "secret" } },
    });
  });

  test("has no more time than its parent", () => {
    expect(child({ timeout_s: 10 }).limits.timeoutMs).toBe(10_000);
    expect(child({ timeout_s: 3600 }).limits.timeoutMs).toBe(60_000);
    expect(child({}, { limits: { timeoutMs: undefined } }).limits.timeoutMs).toBeUndefined();
  });

  test("works in its parent's folder or below it", () => {
    expect(child({ cwd: "sub" }).where.workspace).toBe(join(workspace, "sub"));
    expect(child({ cwd: join(workspace, "sub") }).where.workspace).toBe(join(workspace, "sub"));
    for (const cwd of ["..", "/", "/etc", "out", "out/bin", `${workspace}-2`, "sub/../../x"]) {
      expect(() => child({ cwd })).toThrow("is not inside the workspace of this run");
    }
    expect(() => child({ cwd: "missing" })).toThrow("does not exist");
  });

  test("of a run that is fenced in works in its very folder: what is below it can be exchanged", () => {
    expect(() => child({ cwd: "sub" }, { where: { on: "sandbox" } })).toThrow(
      "in a sandbox the runs you start work in",
    );
    expect(child({}, { where: { on: "sandbox" } }).where.workspace).toBe(workspace);
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
