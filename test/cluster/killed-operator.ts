import { findAccess } from "../../src/cluster/kube/access.ts";
import { KubeClient, type RequestOptions } from "../../src/cluster/kube/client.ts";
import { createOperator } from "../../src/cluster/operator/operator.ts";
import { defaultOptions } from "../../src/cluster/operator/options.ts";
import { systemClock } from "../../src/lib/base/clock.ts";
import { createLog } from "../../src/lib/base/log.ts";
import { GIT_IMAGE } from "./kube/test-images.ts";

/**
 * An operator that is killed, as by the kernel, just before or just after its n-th write to the API server:
 * `killed-operator.ts KUBECONFIG NAMESPACE before|after N`. Its own lease doesn't count.
 */
const [, , kubeconfig = "", namespace = "", when = "before", at = "1"] = process.argv;

class MortalClient extends KubeClient {
  #writes = 0;

  override async open(method: string, path: string, options: RequestOptions = {}) {
    const counts =
      method !== "GET" &&
      !path.endsWith("/leases/coxswain-operator") &&
      !path.endsWith("/events") &&
      !isOwnLease(options.body);
    if (counts) this.#writes += 1;
    const isTime = counts && this.#writes === Number(at);
    if (isTime && when === "before") process.kill(process.pid, "SIGKILL");
    const response = await super.open(method, path, options);
    if (isTime) process.kill(process.pid, "SIGKILL");
    return response;
  }
}

const isOwnLease = (body: unknown) => JSON.stringify(body ?? {}).includes('"name":"coxswain-operator"');

const client = new MortalClient(await findAccess({ env: process.env, kubeconfig }));
const operator = createOperator({
  client,
  clock: systemClock,
  log: createLog({ sink: (line) => process.stderr.write(line), level: "error", now: Date.now }),
  options: {
    ...defaultOptions,
    namespaces: [namespace],
    initImage: GIT_IMAGE,
    resources: { requests: { cpu: "10m", memory: "16Mi" }, limits: { memory: "256Mi" } },
    retryBackoff: { base: 100, factor: 2, cap: 500 },
  },
  election: { namespace, name: "coxswain-operator", identity: `mortal-${process.pid}`, leaseMs: 5000, renewMs: 1000 },
});
const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());
process.stdout.write("started\n");
await operator.run(stop.signal);
