import { describe, expect, test } from "vitest";
import type { EventOf } from "../events.ts";
import { decide, decideQuestion, harmlessTools, matchOf, type Policy, type Rule, rulesFor } from "./policy.ts";

const asking = (toolName: string | undefined, title = "coxswain: bus_post"): EventOf<"permission_request"> => ({
  type: "permission_request",
  pendingId: "p0",
  toolName,
  permissionTitle: title,
  source: "protocol",
  actionType: "other",
  actionDetails: {},
  permissionOptions: [
    { id: "always", label: "Always", kind: "allow_always" },
    { id: "yes", label: "Yes", kind: "allow_once" },
    { id: "no", label: "No", kind: "reject_once" },
  ],
});
const allowed = { do: "choose", optionId: "yes", reason: "a tool of the run itself" };

test("what helps with a permission is not said of a question", () => {
  const policy: Policy = { default: "ask", unattended: { permission: "allow it", question: "nobody" } };
  expect(decide(policy, asking("Bash"))).toMatchObject({ reason: "allow it" });
  expect(decideQuestion(policy)).toEqual({ do: "decline", reason: "nobody" });
  expect(decideQuestion({ default: "allow", unattended: "nobody" })).toEqual({ do: "decline", reason: "nobody" });
});

describe("tools of the run itself", () => {
  const policies: Policy[] = [{ default: "ask" }, { default: "deny" }, { default: "ask", unattended: "nobody" }];
  test.each(policies)("those that only talk need no leave: %o", (policy) => {
    for (const tool of harmlessTools) {
      expect(decide({ ...policy, ownTools: true }, asking(`mcp__coxswain__${tool}`))).toEqual(allowed);
    }
  });

  const others: Record<string, [Policy, string | undefined]> = {
    "starting a run goes by the policy": [{ default: "ask", ownTools: true }, "mcp__coxswain__spawn_run"],
    "so does making a task": [{ default: "ask", ownTools: true }, "mcp__coxswain__task_create"],
    "a tool of that name is somebody else's when the run gave none": [{ default: "ask" }, "mcp__coxswain__bus_post"],
    "another server's tool is not ours": [{ default: "ask", ownTools: true }, "mcp__coxswain2__bus_post"],
    "a title proves nothing": [{ default: "ask", ownTools: true }, undefined],
    "nor does a command that looks like it": [{ default: "ask", ownTools: true }, "Bash"],
  };
  test.each(Object.entries(others))("%s", (_, [policy, toolName]) => {
    expect(decide(policy, asking(toolName, "mcp__coxswain__bus_post"))).toEqual({ do: "ask" });
  });
});

describe("stored decisions", () => {
  const where = { project: "shop", agent: "claude", workspace: "/work" };
  const request = (actionDetails: EventOf<"permission_request">["actionDetails"], kind = "execute" as const) => ({
    ...asking("Bash"),
    actionType: kind,
    actionDetails,
  });
  const rule = (fields: Partial<Rule> = {}): Rule => ({
    id: "r-1",
    decision: "allow",
    kind: "execute",
    match: "git status",
    project: "shop",
    agent: "",
    created: "",
    by: "ada",
    ...fields,
  });
  const same = request({ command: "git status" });

  const matching: Record<string, [Partial<Rule>, EventOf<"permission_request">, boolean]> = {
    "the same command": [{}, same, true],
    "in the workspace itself": [{}, request({ command: "git status", cwd: "/work" }), true],
    "with something appended": [{}, request({ command: "git status; id" }), false],
    "with something in front": [{}, request({ command: "sudo git status" }), false],
    "with a blank more": [{}, request({ command: "git status " }), false],
    "with a newline more": [{}, request({ command: "git status\nid" }), false],
    "in other letters": [{}, request({ command: "Git status" }), false],
    "somewhere else": [{}, request({ command: "git status", cwd: "/etc" }), false],
    "of another kind": [{ kind: "read" }, same, false],
    "in another project": [{ project: "other" }, same, false],
    "in all projects": [{ project: "" }, same, true],
    "of this agent": [{ agent: "claude" }, same, true],
    "of another agent": [{ agent: "codex" }, same, false],
    "a pattern is no pattern": [{ match: "git *" }, same, false],
    "one file": [{ match: "/a" }, request({ paths: ["/a"] }), true],
    "that file and another": [{ match: "/a" }, request({ paths: ["/a", "/b"] }), false],
    "an address": [{ match: "http://x/" }, request({ url: "http://x/" }), true],
    "a longer address": [{ match: "http://x/" }, request({ url: "http://x/y" }), false],
    "a title proves nothing": [{ match: "coxswain: bus_post" }, request({}), false],
  };
  test.each(Object.entries(matching))("are about %s", (_, [fields, asked, expected]) => {
    expect(rulesFor([rule(fields)], asked, where)).toHaveLength(expected ? 1 : 0);
  });

  const [yes, no] = [rule(), rule({ id: "r-2", decision: "deny" })];
  const deciding: Record<string, [Policy, Rule[], string]> = {
    "a stored yes where one would be asked": [{ default: "ask" }, [yes], "choose yes r-1"],
    "a stored yes where nobody is there to ask": [{ default: "ask", unattended: "nobody" }, [yes], "choose yes r-1"],
    "a stored yes doesn't change what this run denies": [{ default: "deny" }, [yes], "choose no undefined"],
    "a stored no stands above what this run allows": [{ default: "allow" }, [no], "choose no r-2"],
    "a stored no stands above a stored yes": [{ default: "ask" }, [yes, no], "choose no r-2"],
    none: [{ default: "ask" }, [], "ask undefined undefined"],
  };
  test.each(Object.entries(deciding))("decide: %s", (_, [policy, rules, expected]) => {
    const decision = decide(policy, same, rules);
    const { optionId, rule: id } = { optionId: undefined, rule: undefined, ...decision };
    expect(`${decision.do} ${optionId} ${id}`).toBe(expected);
  });

  test("can't be stored for what can't be told exactly", () => {
    expect(matchOf(request({ command: "ls", cwd: "/etc" }), "/work")).toBeUndefined();
    expect(matchOf(request({}), "/work")).toBeUndefined();
    expect(matchOf(request({ paths: ["/a", "/b"] }), "/work")).toBeUndefined();
  });
});
