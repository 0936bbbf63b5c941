import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AgentEvent, RecordedEvent } from "../../../src/contract/events.ts";
import { fold, mergeInto, nothingFolded, sharing } from "./rows.ts";

const golden = join(import.meta.dirname, "../../../test/golden");

function recorded(file: string): RecordedEvent[] {
  const lines = readFileSync(join(golden, file), "utf8").split("\n").filter(Boolean);
  return lines.map((line, i) => ({ seq: i + 1, at: "2026-01-01T00:00:00.000Z", ...(JSON.parse(line) as AgentEvent) }));
}

function folded(events: readonly RecordedEvent[]) {
  const made = nothingFolded();
  for (const event of events) fold(made, event);
  return made;
}

describe("the rows of a conversation", () => {
  test.each(readdirSync(golden))("%s: merged events fold to the same", (file) => {
    const events = recorded(file);
    const kept: RecordedEvent[] = [];
    for (const event of events) {
      const merged = mergeInto(kept.at(-1), event);
      if (merged === undefined) kept.push(event);
      else kept[kept.length - 1] = merged;
    }
    expect(folded(kept).transcript.items).toEqual(folded(events).transcript.items);
    expect(folded(kept).rows.map(({ kind }) => kind)).toEqual(folded(events).rows.map(({ kind }) => kind));
  });

  test("a request keeps its place and says what became of it", () => {
    const at = "2026-01-01T00:00:00.000Z";
    const made = folded([
      { seq: 1, at, type: "turn_started", turn: "t" },
      {
        seq: 2,
        at,
        type: "permission_request",
        pendingId: "p",
        permissionTitle: "rm",
        source: "protocol",
        actionType: "execute",
        actionDetails: {},
        permissionOptions: [],
      },
      { seq: 3, at, type: "request_resolved", pendingId: "p", outcome: "denied", by: "person", who: "ada" },
    ]);
    expect(made.rows).toMatchObject([{ kind: "request", seq: 2, resolved: { outcome: "denied", who: "ada" } }]);
  });

  test("a kept text takes the transcript's, when it is the same one", () => {
    const at = "2026-01-01T00:00:00.000Z";
    const chunk = (text: string, messageId = "m") =>
      ({ seq: 1, at, type: "message_chunk", turn: "t", messageId, text }) as const;
    const item = { kind: "message", messageId: "m", text: "as drawn" } as const;
    expect(sharing(chunk("AS DRAWN"), item)).toMatchObject({ seq: 1, text: "as drawn" });
    expect(sharing(chunk("a piece"), item)).toMatchObject({ text: "a piece" });
    expect(sharing(chunk("AS DRAWN", "other"), item)).toMatchObject({ text: "AS DRAWN" });
    expect(sharing(undefined, item)).toBeUndefined();
  });
});
