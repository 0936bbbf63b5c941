import { describe, expect, test } from "vitest";
import type { PodOverrides } from "../../../../contract/resources/pod-overrides.ts";
import { wishedVariables, wishedVolumes } from "./wishes.ts";

const usable = new Map([["mine", ["k"]]]);

describe("a Task's own variables and volumes", () => {
  const from = (name: string) => ({ secretKeyRef: { name, key: "k", optional: true } });

  test("an optional Secret that wasn't there is left out, so that it can't come later", () => {
    const env = ["mine", "later"].map((name) => ({ name, valueFrom: from(name) }));
    expect(wishedVariables({ env }, usable)).toEqual([{ name: "mine", valueFrom: from("mine") }]);
    const volumes = ["mine", "later"].map((name) => ({ name, secret: { secretName: name, optional: true } }));
    expect(wishedVolumes({ volumes }, usable)).toEqual([volumes[0], { name: "later", emptyDir: {} }]);
  });

  test.each([
    ["hostPath", { path: "/" }],
    ["projected", { sources: [{ secret: { name: "db" } }, { serviceAccountToken: { path: "t" } }] }],
    ["csi", { driver: "secrets-store.csi.k8s.io", nodePublishSecretRef: { name: "db" } }],
    ["azureFile", { secretName: "db", shareName: "s" }],
    ["flexVolume", { driver: "d", secretRef: { name: "db" } }],
  ])("a volume of kind %s that got past the API server is an empty one", (kind, source) => {
    const volumes = [{ name: "v", [kind]: source }] as PodOverrides["volumes"];
    expect(wishedVolumes({ volumes }, usable)).toEqual([{ name: "v", emptyDir: {} }]);
  });

  test("a variable from somewhere else is an empty one", () => {
    const env = [{ name: "A", valueFrom: { fileKeyRef: { volumeName: "v", path: "p", key: "k" } } }];
    expect(wishedVariables({ env } as PodOverrides, usable)).toEqual([{ name: "A", value: "" }]);
  });
});
