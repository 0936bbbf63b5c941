import { expect, test } from "vitest";
import { newestAlike, type Result } from "./result.ts";

const machine = { cpu: "EPYC", cores: 2, memory_gb: 24, kernel: "6", extra_certificates: false };
const result = (commit: string, change: Partial<Result>): Result => ({
  at: "2026-01-01T00:00:00.000Z",
  commit,
  node: "v20.20.2",
  machine,
  figures: [],
  ...change,
});

test.each([
  ["another processor", { machine: { ...machine, cpu: "M4" } }],
  ["other cores", { machine: { ...machine, cores: 8 } }],
  ["another Node", { node: "v24.1.0" }],
  ["certificates that every Node reads", { machine: { ...machine, extra_certificates: true } }],
])("%s has ratios of its own", (_, change) => {
  expect(newestAlike([result("a", change)], { machine, node: "v20.1.0" })).toBeUndefined();
});

test("of those that are alike the newest counts, whatever its name; more memory makes no difference", () => {
  const all = [
    result("old", {}),
    result("new", { at: "2026-02-01T00:00:00.000Z", machine: { ...machine, memory_gb: 8, kernel: "7" } }),
    result("other", { at: "2026-03-01T00:00:00.000Z", node: "v22.0.0" }),
  ];
  expect(newestAlike(all, { machine, node: "v20.20.2" })?.commit).toBe("new");
});
