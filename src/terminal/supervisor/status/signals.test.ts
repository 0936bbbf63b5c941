import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { listenForSignals } from "./signals.ts";

test("the first asks, the second insists, whatever they are", () => {
  const source = new EventEmitter();
  const signals = listenForSignals(source);
  expect([signals.stop.aborted, signals.force.aborted]).toEqual([false, false]);
  source.emit("SIGINT", "SIGINT");
  expect([signals.stop.aborted, signals.force.aborted, signals.name()]).toEqual([true, false, "SIGINT"]);
  source.emit("SIGTERM", "SIGTERM");
  expect([signals.force.aborted, signals.name()]).toEqual([true, "SIGINT"]);
});

test("afterwards nobody listens", () => {
  const source = new EventEmitter();
  listenForSignals(source).off();
  expect(source.eventNames()).toEqual([]);
});
