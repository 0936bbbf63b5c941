import { describe, expect, test } from "vitest";
import type { AgentEvent, EventOf } from "../../../../contract/events.ts";
import { noColours } from "../../../../lib/command/paint.ts";
import { permission } from "../../testing/test-events.ts";
import { renderEvent, renderResolved } from "./event-lines.ts";

const page = { width: 60, paint: noColours };

const cases: Record<string, [AgentEvent, string[]]> = {
  "a prompt of several lines": [
    {
      type: "user_message",
      promptId: "x",
      content: [
        { type: "text", text: "do\nthis" },
        { type: "image", mimeType: "image/png", sha256: "0", name: "a.png" },
      ],
      delivery: "start",
    },
    ["› do", "  this", "  [image a.png]"],
  ],
  steering: [
    { type: "user_message", promptId: "x", content: [{ type: "text", text: "no, left" }], delivery: "steer" },
    ["» no, left"],
  ],
  "a turn that ended well": [{ type: "complete", turn: "t", outcome: "completed", stopReason: "end_turn" }, []],
  "a cut answer": [
    { type: "complete", turn: "t", outcome: "completed", stopReason: "max_tokens" },
    ["! the answer was cut: it reached the limit of tokens"],
  ],
  "an interrupted turn": [{ type: "complete", turn: "t", outcome: "interrupted" }, ["⊘ interrupted"]],
  "a failed turn": [{ type: "complete", turn: "t", outcome: "failed", reason: "boom" }, ["✗ the turn failed: boom"]],
  "an error with what the agent printed": [
    {
      type: "error",
      category: "process",
      message: "it died",
      retryable: false,
      remedy: "reinstall it",
      stderrTail: "1\n2\n\n3\n4\n5\n6\n",
    },
    ["✗ process: it died", "  → reinstall it", "  | 2", "  | 3", "  | 4", "  | 5", "  | 6"],
  ],
  "a limit that is near": [
    { type: "rate_limit", status: "warning", scope: "weekly", usedPercent: 91 },
    ["! near the weekly limit, 91 % used"],
  ],
  "a limit that is reached": [
    { type: "rate_limit", status: "limited", resetsAt: "18:00" },
    ["! limit reached, resets at 18:00"],
  ],
  "a limit that is far": [{ type: "rate_limit", status: "ok", usedPercent: 1 }, []],
  parked: [
    { type: "session_status", status: "parked", reason: "no quota", until: "noon" },
    ["· waiting: no quota, until noon"],
  ],
  resumed: [{ type: "session_status", status: "resumed", sessionId: "s" }, ["· the earlier conversation goes on"]],
  "closed has its own line elsewhere": [{ type: "session_status", status: "closed", reason: "done" }, []],
  "figures are not lines": [{ type: "context_window", used: 1, size: 2 }, []],
};

describe("renderEvent", () => {
  test.each(Object.entries(cases))("%s", (_, [event, lines]) => {
    expect(renderEvent(event, page)).toEqual(lines);
  });
});

describe("renderResolved", () => {
  const resolved = (fields: Partial<EventOf<"request_resolved">>): EventOf<"request_resolved"> => ({
    type: "request_resolved",
    pendingId: "p0",
    outcome: "allowed",
    by: "person",
    ...fields,
  });
  const request: EventOf<"question_request"> = {
    type: "question_request",
    pendingId: "p0",
    questions: [],
    message: "Ready?",
  };

  test.each([
    [resolved({}), "✓ allowed: Ready?"],
    [resolved({ who: "tom@box" }), "✓ allowed by tom@box: Ready?"],
    [resolved({ by: "policy", outcome: "denied", reason: "never" }), "⊘ denied by policy: Ready? (never)"],
    [resolved({ by: "agent", outcome: "cancelled" }), "⊘ cancelled by agent: Ready?"],
  ])("%j", (event, line) => {
    expect(renderResolved(event, request, page)).toEqual([line]);
  });

  test.each<[Partial<EventOf<"request_resolved">>, boolean, string]>([
    [{ outcome: "denied", reason: "no" }, false, "⊘ denied: Run ls (no; the agent can't be told why)"],
    [{ outcome: "denied", reason: "no" }, true, "⊘ denied: Run ls (no)"],
    [{ outcome: "denied" }, false, "⊘ denied: Run ls"],
    [{ outcome: "cancelled", reason: "interrupted" }, false, "⊘ cancelled: Run ls (interrupted)"],
  ])("%j to an agent that takes a reason: %s", (fields, takesReason, line) => {
    const asked = permission("p0");
    if (!takesReason) asked.takesReason = false;
    expect(renderResolved(resolved(fields), asked, page)).toEqual([line]);
  });

  test("a reason that is too long for the line stands below it, whole", () => {
    const reason =
      "there is no terminal to ask on; run with --permissions allow, or detached (-d) and use `cox answer`";
    const event = resolved({ by: "policy", outcome: "denied", reason });
    const [first, ...rest] = renderResolved(event, { ...request, message: "A ".repeat(60) }, page);
    expect(first).toMatch(/^⊘ denied by policy: A A .*…$/);
    expect(rest.map((line) => line.trim()).join(" ")).toBe(reason);
    expect(rest.every((line) => line.startsWith("    ") && line.length <= page.width)).toBe(true);
  });

  test("a request nobody saw is told by its id", () => {
    expect(renderResolved(resolved({}), undefined, page)).toEqual(["✓ allowed: p0"]);
  });
});
