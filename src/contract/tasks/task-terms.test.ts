import { describe, expect, test } from "vitest";
import { nothingSpent } from "../runs/budget.ts";
import type { RunRequest } from "../runs/request.ts";
import { TaskFile } from "./task-file.ts";
import { onTermsOf, type RequestedTerms, termsInFile, termsOfFile } from "./task-terms.ts";

const all: RequestedTerms = {
  who: { agent: "codex", profile: undefined, model: "big", fallback: ["claude", "demo"] },
  what: { tools: false, preamble: false },
  where: { on: "sandbox", network: "off", worktree: { base: "main" }, cleanEnv: true },
  limits: {
    permissions: "deny",
    timeoutMs: 60_000,
    timeoutFrom: "the task's timeout",
    idleTimeoutMs: 5000,
    idleTimeoutFrom: "the task's idle_timeout",
    budget: {
      of: "this run",
      limits: { maxCostUsd: 2, maxTokens: 1000, maxTurns: 3 },
      spent: nothingSpent,
    },
  },
};
const task = { title: "Fix", prompt: "Fix it", workspace: "/work/web" };

test("all that can be said of a run comes back from a task's file", () => {
  const file = TaskFile.parse({ ...task, ...termsInFile(all) });
  expect(termsOfFile(file)).toEqual(all);
});

test("nothing said leaves everything open", () => {
  const file = TaskFile.parse({ ...task, ...termsInFile({ who: {}, what: {}, where: {}, limits: {} }) });
  expect(JSON.parse(JSON.stringify(termsOfFile(file)))).toEqual({ who: {}, what: {}, where: {}, limits: {} });
});

describe("a run of a task", () => {
  const file = TaskFile.parse({ ...task, ...termsInFile(all), policy: { review: true } });
  const prompt = [{ type: "text" as const, text: "go" }];
  const bare: RunRequest = {
    who: { agent: undefined },
    what: { prompt, mode: "batch" },
    where: { project: "web", task: "fix", on: undefined },
    limits: { unattended: "nobody" },
    lineage: { by: "ada" },
  };

  test("is on the task's terms where nothing else is said", () => {
    const { who, what, where, limits } = onTermsOf(file, bare);
    expect(who).toEqual(all.who);
    expect(what).toEqual({ prompt, mode: "batch", review: true, tools: false, preamble: false });
    expect(where).toEqual({ project: "web", task: "fix", workspace: "/work/web", ...all.where });
    expect(limits).toEqual({ unattended: "nobody", ...all.limits });
  });

  test.each<[string, Partial<RunRequest>, object]>([
    ["its model", { who: { model: "small" } }, { who: { ...all.who, model: "small" } }],
    ["another agent, with a model of its own", { who: { agent: "claude" } }, { who: { agent: "claude" } }],
    ["a profile", { who: { profile: "work" } }, { who: { profile: "work" } }],
    ["permissions", { limits: { permissions: "allow" } }, { limits: { ...all.limits, permissions: "allow" } }],
    [
      "a folder, which then is the one",
      { where: { workspace: "/elsewhere" } },
      { where: { on: "sandbox", network: "off", cleanEnv: true, workspace: "/elsewhere" } },
    ],
  ])("goes by what is said now: %s", (_, wish, expected) => {
    const { lineage: _by, what: _what, ...rest } = onTermsOf(file, { ...bare, where: {}, limits: {}, ...wish });
    expect(rest).toMatchObject(expected);
    expect(Object.keys(rest.who).sort()).toEqual(Object.keys(("who" in expected && expected.who) || all.who).sort());
    if ("where" in expected) expect(rest.where).toEqual(expected.where);
  });
});
