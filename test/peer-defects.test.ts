import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AgentEvent, EventOf } from "../src/contract/events.ts";
import { decide } from "../src/contract/requests/policy.ts";
import { nothingOpen, track } from "../src/contract/sessions/open-items.ts";
import { phaseOf } from "../src/contract/sessions/session-state.ts";
import { addEvent, contextWindow, emptyTranscript } from "../src/contract/sessions/transcript.ts";

const root = join(import.meta.dirname, "..");

describe("docs/internals/peer-defects.md", () => {
  const rows = readFileSync(join(root, "docs/internals/peer-defects.md"), "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, number, , file, name] =
        /^\| (\d+) \| (.+?) \| \[.*?\]\(\.\.\/\.\.\/(.+?)\) \| (.+?) \|$/.exec(line) ?? [];
      return number === undefined || file === undefined || name === undefined ? [] : [{ number, file, name }];
    });

  test("has each behaviour that concerns sessions, permissions, turns, resume or processes", () => {
    const numbers = new Set(rows.map(({ number }) => Number(number)));
    const wanted = [...range(13, 19), ...range(21, 56), ...range(61, 65)];
    expect(wanted.filter((number) => !numbers.has(number))).toEqual([]);
  });

  test.each(rows)("$number is tested in $file", ({ file, name }) => {
    expect(readFileSync(join(root, file), "utf8")).toContain(name);
  });
});

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** What our translators made of recorded sessions of real agents. */
const golden = readdirSync(join(root, "test/golden")).map((name): [string, AgentEvent[]] => {
  const lines = readFileSync(join(root, "test/golden", name), "utf8")
    .split("\n")
    .filter(Boolean);
  return [name, lines.map((line) => JSON.parse(line))];
});

describe("in every recorded session", () => {
  test("13 the beginning of a session never ends a turn", () => {
    for (const [name, events] of golden) {
      const first = events.findIndex(({ type }) => type === "complete");
      if (first === -1) continue;
      expect(
        events.slice(0, first).map(({ type }) => type),
        name,
      ).toContain("turn_started");
    }
  });

  test("14 a turn ends exactly once", () => {
    for (const [name, events] of golden) {
      const begun = events.flatMap((event) => (event.type === "turn_started" ? [event.turn] : []));
      const ended = events.flatMap((event) => (event.type === "complete" ? [event.turn] : []));
      expect(new Set(ended).size, name).toBe(ended.length);
      expect(
        ended.every((turn) => begun.includes(turn)),
        name,
      ).toBe(true);
    }
  });

  test("15 after its end a turn says nothing more", () => {
    for (const [name, events] of golden) {
      const ended = new Set<string>();
      for (const event of events) {
        if (event.type === "message_chunk") expect(ended.has(event.turn ?? ""), name).toBe(false);
        if (event.type === "complete") ended.add(event.turn);
      }
    }
  });

  test("18 no tool is updated before it is known", () => {
    for (const [name, events] of golden) {
      const known = new Set<string>();
      for (const event of events) {
        if (event.type === "tool_call") known.add(event.toolCallId);
        if (event.type === "tool_update") expect(known.has(event.toolCallId), name).toBe(true);
      }
    }
  });

  test("33 no request outlives its turn", () => {
    for (const [name, events] of golden) {
      let open = nothingOpen;
      for (const event of events) {
        open = track(open, event);
        if (event.type === "complete") expect(open.requests.size, name).toBe(0);
      }
    }
  });
});

describe("requests", () => {
  const request = (kinds: readonly EventOf<"permission_request">["permissionOptions"][number]["kind"][]) => ({
    type: "permission_request" as const,
    pendingId: "p",
    permissionTitle: "ls",
    source: "protocol" as const,
    actionType: "execute" as const,
    actionDetails: { command: "ls" },
    permissionOptions: kinds.map((kind) => ({ id: kind, label: kind, kind })),
  });

  test("34 what allows by itself picks an allowing option, even when a rejecting one is first", () => {
    const asked = request(["reject_always", "reject_once", "allow_always", "allow_once"]);
    expect(decide({ default: "allow" }, asked)).toEqual({ do: "choose", optionId: "allow_once" });
    expect(decide({ default: "allow" }, request(["reject_once"]))).toEqual({ do: "ask" });
  });

  test("35 without options a denial is still a denial, and nothing is allowed", () => {
    expect(decide({ default: "deny" }, request([]))).toMatchObject({ do: "decline" });
    expect(decide({ default: "allow" }, request([]))).toEqual({ do: "ask" });
  });

  test("38 one may come before the tool call it is for", () => {
    const transcript = emptyTranscript();
    const events: AgentEvent[] = [
      { type: "turn_started", turn: "t1" },
      { ...request(["allow_once"]), toolCallId: "c1" },
      {
        type: "tool_call",
        toolCallId: "c1",
        toolName: "Bash",
        toolTitle: "ls",
        kind: "execute",
        toolStatus: "pending",
      },
      { type: "request_resolved", pendingId: "p", outcome: "allowed", by: "person" },
      { type: "tool_update", toolCallId: "c1", toolStatus: "completed" },
    ];
    for (const event of events) addEvent(transcript, event);
    expect([phaseOf(transcript.state), transcript.state.turn]).toEqual(["working", "t1"]);
    expect(transcript.items).toMatchObject([{ kind: "tool", tool: { toolStatus: "completed" } }]);
  });
});

test("27 what is left of the window is never negative", () => {
  expect(contextWindow({ used: 250, size: 200 })).toEqual({ used: 200, size: 200, remaining: 0, efficiency: 100 });
  expect(contextWindow({ used: 0, size: 0 })).toEqual({ used: 0, size: 0, remaining: 0, efficiency: 0 });
});
