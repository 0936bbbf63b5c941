import { describe, expect, test } from "vitest";
import type { EventOf } from "./events.ts";
import { decide, harmlessTools, type Policy } from "./policy.ts";

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
