import { expect, test } from "vitest";
import type { AgentEvent, Usage } from "../../contract/events.ts";
import { ContextMeter } from "./context-meter.ts";

const sizes = { models: { small: 1000, large: 5000 }, others: undefined };
const begin: AgentEvent = { type: "turn_started", turn: "t1" };
const tool = { type: "tool_call", turn: "t1", toolCallId: "c", toolName: "sh" } as AgentEvent;
const so = (usage: Partial<Usage>): AgentEvent => ({
  type: "usage",
  turn: "t1",
  usage: { input: 0, output: 0, ...usage },
});
const end = (usage?: Partial<Usage>): AgentEvent => ({
  type: "complete",
  turn: "t1",
  outcome: "completed",
  ...(usage && { usage: { input: 0, output: 0, ...usage } }),
});
const chosen = (value: string): AgentEvent => ({
  type: "config_options",
  options: [{ id: "m", name: "Model", category: "model", value }],
});
const told: AgentEvent = { type: "context_window", used: 1, size: 2 };

const said = (perCall: boolean, ...events: AgentEvent[]) => {
  const meter = new ContextMeter({ sizes, model: "small", perCall });
  return events.flatMap((event) => meter.heard(event) ?? []).map(({ used, size }) => [used, size]);
};

const call = { input: 100, cacheRead: 50, cacheWrite: 5, output: 45 };
const cases: Record<string, [events: AgentEvent[], windows: number[][]]> = {
  "a turn without tools is one call": [[begin, end(call)], [[200, 1000]]],
  "the sum of several calls is no window": [[begin, tool, end(call)], []],
  "but the next turn may be one": [[begin, tool, end(call), begin, end(call)], [[200, 1000]]],
  "the model that was switched to": [[chosen("large"), begin, end(call)], [[200, 5000]]],
  "the model that the agent says it asked": [[begin, end({ ...call, model: "vendor/large" })], [[200, 5000]]],
  "a model of unknown size": [[chosen("other"), begin, end(call)], []],
  "an agent that tells it by itself": [[told, begin, end(call)], []],
  "no more than there is": [[begin, end({ input: 2000 })], [[1000, 1000]]],
  "no figures": [[begin, end(), begin, end({})], []],
  "what it used so far is no call": [[begin, so(call), end(call)], [[200, 1000]]],
};
test.each(Object.entries(cases))("%s", (_, [events, windows]) => {
  expect(said(false, ...events)).toEqual(windows);
});

test("with a report per call, each is the difference to the one before", () => {
  const later = { input: 300, output: 100 };
  expect(said(true, begin, tool, so(call), tool, so(later), end(later))).toEqual([
    [200, 1000],
    [200, 1000],
  ]);
  expect(said(true, begin, tool, so(call), end({ input: 500 }))).toEqual([
    [200, 1000],
    [300, 1000],
  ]);
});

test("is marked as what it is", () => {
  const meter = new ContextMeter({ sizes, model: "small", perCall: false });
  expect(meter.heard(end(call))).toMatchObject({ sizeFrom: "definition" });
});

test("a model that isn't in the list has the window of all others", () => {
  const meter = new ContextMeter({ sizes: { ...sizes, others: 3000 }, model: "new", perCall: false });
  expect(meter.heard(end(call))).toMatchObject({ used: 200, size: 3000 });
});
