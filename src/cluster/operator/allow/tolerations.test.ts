import { describe, expect, test } from "vitest";
import { isAllowedToleration, taintRule } from "./tolerations.ts";

type Toleration = Parameters<typeof isAllowedToleration>[0];

const cases: [string[], Toleration, boolean][] = [
  [[], { key: "pool", operator: "Exists" }, false],
  [["pool"], { key: "pool", operator: "Exists" }, true],
  [["pool"], { key: "pool", value: "any", effect: "NoExecute" }, true],
  [["pool"], { key: "pool2", operator: "Exists" }, false],
  [["pool"], { operator: "Exists" }, false],
  [["pool"], { key: "", operator: "Exists" }, false],
  [["pool"], { key: "node-role.kubernetes.io/control-plane", operator: "Exists" }, false],
  [["pool=agents"], { key: "pool", value: "agents" }, true],
  [["pool=agents"], { key: "pool", operator: "Equal", value: "agents" }, true],
  [["pool=agents"], { key: "pool", value: "databases" }, false],
  [["pool=agents"], { key: "pool", operator: "Exists" }, false],
  [["pool=agents"], { key: "pool", operator: "Exists", value: "agents" }, false],
  [["pool=agents"], { key: "pool=agents", operator: "Exists" }, false],
  [["a", "pool="], { key: "pool" }, true],
];

describe("--allow-toleration", () => {
  test.each(cases)("%j, toleration %j: %s", (allowed, toleration, admitted) => {
    expect(isAllowedToleration(toleration, allowed)).toBe(admitted);
  });

  test.each(["", "=x", "*", " pool", "pool=a=b"])("%j is refused", (text) => {
    expect(() => taintRule(text)).toThrow("use a taint's KEY or KEY=VALUE");
  });
});
