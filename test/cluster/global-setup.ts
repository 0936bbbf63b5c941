import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { available } from "./kube/binaries.ts";
import { ControlPlane } from "./kube/control-plane.ts";
import { gitAgent, gitImage, shellAgent } from "./kube/test-images.ts";
import { WorkerNode } from "./kube/worker-node.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Missing: there is no cluster here, and every test of the suite is skipped. */
    cluster: ClusterFacts | undefined;
  }
}

export interface ClusterFacts {
  kubeconfig: string;
  /** Where pods reach this machine; missing: there is no kubelet, pods never run. */
  gateway?: string;
  /** Where its programs keep their files; missing: the cluster isn't ours to break. */
  folder?: string;
}

/** One cluster for the whole suite: `COX_TEST_KUBECONFIG`, or one started from the binaries that are here. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.COX_TEST_KUBECONFIG;
  if (given) {
    project.provide("cluster", { kubeconfig: given });
    return async () => {};
  }
  const { controlPlane, node, missing } = available();
  if (!controlPlane) return skipLoudly(project, `CLUSTER SUITE SKIPPED: not found here: ${missing.join(", ")}`);
  const folder = mkdtempSync(join(tmpdir(), "coxk-"));
  const plane = await ControlPlane.start(folder);
  const worker = node ? await WorkerNode.start(plane) : undefined;
  if (worker === undefined)
    say(`NO KUBELET: cluster tests that need pods are skipped; not found here: ${missing.join(", ")}`);
  for (const image of [shellAgent, gitImage, gitAgent]) worker?.load(image);
  const facts: ClusterFacts = { kubeconfig: plane.kubeconfig, folder };
  if (worker !== undefined) facts.gateway = worker.gateway;
  project.provide("cluster", facts);
  return async () => {
    await worker?.stop();
    await plane.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

function skipLoudly(project: TestProject, text: string): () => Promise<void> {
  project.provide("cluster", undefined);
  say(text);
  if (process.env.GITHUB_STEP_SUMMARY) writeFileSync(process.env.GITHUB_STEP_SUMMARY, `${text}\n`, { flag: "a" });
  return async () => {};
}

const say = (text: string) => process.stderr.write(`\n${"!".repeat(80)}\n${text}\n${"!".repeat(80)}\n\n`);
