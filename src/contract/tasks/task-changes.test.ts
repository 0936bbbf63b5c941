import { describe, expect, test } from "vitest";
import type { AgentEvent, EventOf } from "../events.ts";
import { justStarted, type RunTerms, taskChanges } from "./task-changes.ts";

const terms: RunTerms = { review: false, looped: false };

const turn = (id: string): AgentEvent => ({ type: "turn_started", turn: id });
const end = (id: string, outcome: EventOf<"complete">["outcome"] = "completed"): AgentEvent => ({
  type: "complete",
  turn: id,
  outcome,
  ...(outcome === "failed" ? { reason: "why" } : {}),
});
const permission = (pendingId: string, decider?: EventOf<"permission_request">["decider"]): AgentEvent => ({
  type: "permission_request",
  pendingId,
  ...(decider && { decider }),
  permissionTitle: "ls",
  source: "protocol",
  actionType: "execute",
  actionDetails: { command: "ls" },
  permissionOptions: [
    { id: "y", label: "yes", kind: "allow_once" },
    { id: "n", label: "no", kind: "reject_once" },
  ],
});
const resolved = (pendingId: string): AgentEvent => ({
  type: "request_resolved",
  pendingId,
  outcome: "allowed",
  by: "person",
});
const said: AgentEvent = { type: "message_chunk", messageId: "m", text: "hi" };

/** Each inner list is one batch, as the recorder writes them. */
function changesOf(batches: AgentEvent[][], with_: Partial<RunTerms> = {}): string[] {
  let task = justStarted;
  return batches.flatMap((events) => {
    const [next, changes] = taskChanges(task, events, { ...terms, ...with_ });
    task = next;
    return changes.map(({ cause, to, reason }) => `${cause} ${to}${reason === undefined ? "" : ` ${reason}`}`);
  });
}

describe("transitions that events cause", () => {
  test.each<[string, AgentEvent[][], Partial<RunTerms>, string[]]>([
    ["a plain turn: its start is the run's own", [[turn("1"), said], [end("1")]], {}, ["complete done"]],
    ["a failed turn, with its reason", [[turn("1"), end("1", "failed")]], {}, ["complete failed why"]],
    ["under review", [[turn("1"), end("1", "failed")]], { review: true }, ["complete review why"]],
    ["in a worktree: the end of a batch run knows", [[turn("1"), end("1")]], { review: "changes", mode: "batch" }, []],
    [
      "in a worktree: each turn of a conversation",
      [[turn("1"), end("1")]],
      { review: "changes", mode: "interactive" },
      ["complete review"],
    ],
    ["an interrupted turn", [[turn("1"), end("1", "interrupted")]], {}, ["complete todo"]],
    [
      "a second turn",
      [[turn("1"), end("1")], [turn("2")], [end("2")]],
      { review: true },
      ["complete review", "turn_started in_progress", "complete review"],
    ],
    ["an attempt of a loop ends nothing", [[turn("1"), end("1", "failed")]], { looped: true }, []],
    [
      "a request and its answer",
      [[turn("1")], [permission("a")], [resolved("a")], [end("1")]],
      {},
      ["request_opened waiting", "request_resolved in_progress", "complete done"],
    ],
    [
      "two open at once are one wait",
      [[turn("1")], [permission("a")], [permission("b")], [resolved("a")], [resolved("b")]],
      {},
      ["request_opened waiting", "request_resolved in_progress"],
    ],
    ["answered within one batch: nobody waited", [[turn("1"), permission("a"), resolved("a")]], {}, []],
    ["what the policy decides waits for nobody", [[turn("1")], [permission("a", "policy")]], {}, []],
    ["nor what a rule decides", [[turn("1")], [permission("a", "rule")]], {}, []],
    [
      "a person is waited for beside them",
      [[turn("1")], [permission("a", "policy")], [permission("b", "person")], [resolved("b")]],
      {},
      ["request_opened waiting", "request_resolved in_progress"],
    ],
    ["the late end of an earlier turn ends nothing", [[turn("1")], [turn("2")], [end("1")]], {}, []],
    [
      "a crash while it waited",
      [[turn("1")], [permission("a")], [resolved("a"), end("1", "failed")]],
      {},
      ["request_opened waiting", "request_resolved in_progress", "complete failed why"],
    ],
  ])("%s", (_, batches, with_, expected) => {
    expect(changesOf(batches, with_)).toEqual(expected);
  });
});
