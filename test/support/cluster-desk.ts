import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root, scene } from "./cox.ts";
import { FakeCluster } from "./fake-cluster.ts";

/** A person with a kubeconfig, and a cluster that has a key for Claude. */
export async function desk() {
  const cluster = await FakeCluster.start();
  const it = scene();
  const env = { KUBECONFIG: cluster.kubeconfig };
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "coxswain-claude-code", namespace: "team" } };
  cluster.put("/api/v1/namespaces/team/secrets/coxswain-claude-code", {
    ...secret,
    ...{ data: { ANTHROPIC_API_KEY: "aw==" } },
  });
  return {
    it,
    cluster,
    cox: (args: string[], input?: string) => it.cox(["k8s", ...args], { env, input }),
    start: (...args: string[]) => it.start(["k8s", ...args], { env }),
  };
}

/** What a real agent said, line by line. */
export const recorded = (name: string) =>
  readFileSync(join(root, "test/transcripts", `${name}.jsonl`), "utf8")
    .split("\n")
    .filter((line) => line.includes('"dir":"out"'))
    .map((line) => JSON.stringify(JSON.parse(line).msg));
