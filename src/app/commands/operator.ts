import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { findAccess } from "../../cluster/kube/access.ts";
import { KubeClient } from "../../cluster/kube/client.ts";
import { runCredentialPlugin } from "../../cluster/kube/credential-plugin.ts";
import { DEFAULT_DNS } from "../../cluster/operator/fence/network-policy.ts";
import { bundledImages, DEFAULT_REGISTRY } from "../../cluster/operator/images.ts";
import { createOperator } from "../../cluster/operator/operator.ts";
import { defaultOptions, type OperatorOptions } from "../../cluster/operator/options.ts";
import { statusRoutes } from "../../cluster/operator/status-routes.ts";
import { checkLists } from "../../cluster/tasks/operator-lists.ts";
import { AppError } from "../../contract/errors.ts";
import { createLog, type Level } from "../../lib/base/log.ts";
import { VERSION } from "../../lib/base/version.ts";
import { command } from "../../lib/command/command.ts";
import { parseDuration } from "../../lib/command/duration.ts";
import { createApp } from "../../lib/http/app.ts";
import { listen } from "../../lib/http/listen.ts";

const spec = command({
  name: "operator",
  summary: "Look after the Tasks of a Kubernetes cluster: each becomes a Job that runs an agent.",
  usage: "cox operator [options]",
  words: [0, 0],
  options: {
    namespace: {
      short: "n",
      value: "NAME",
      repeat: true,
      help: "a namespace to look after; its Lease is in the first. The pod's or kubeconfig's own if not given",
    },
    registry: { value: "HOST/PATH", help: "where the agents' images are; a mirror for clusters without internet" },
    image: { value: "TYPE=IMAGE", repeat: true, help: "image for one agent type" },
    "init-image": { value: "IMAGE", help: "image with git and a shell, for checkouts" },
    "pull-policy": { value: "WHEN", help: "Always, IfNotPresent or Never" },
    "allow-image": { value: "PREFIX", repeat: true, help: "Tasks may only name these images, by whole path segments" },
    "allow-service-account": { value: "NAME", repeat: true, help: "Tasks may run as this account" },
    "allow-priority-class": { value: "NAME", repeat: true, help: "Tasks may have this priority" },
    "allow-toleration": { value: "KEY[=VALUE]", repeat: true, help: "Tasks may tolerate this taint" },
    "allow-label": { value: "KEY", repeat: true, help: "Tasks may give their pods this label" },
    egress: { value: "CIDR", repeat: true, help: "agents may only reach these addresses, and name service" },
    dns: {
      value: "RESOLVER",
      repeat: true,
      help: `with --egress: name servers, by CIDR or NAMESPACE/KEY=VALUE of their pods; ${DEFAULT_DNS}`,
    },
    "server-url": { value: "URL", help: "a Coxswain server that keeps transcripts" },
    "server-token-secret": { value: "NAME", help: "Secret whose key token opens it" },
    "start-timeout": { value: "TIME", help: "how long an image may be missing before a Task fails; 10m" },
    workers: { value: "N", help: "Tasks worked on at once; 16" },
    listen: { value: "HOST:PORT", help: "where /healthz, /readyz and /metrics are; 127.0.0.1:9091" },
    kubeconfig: { value: "FILE", help: "how to reach the cluster" },
    context: { value: "NAME", help: "which context of it" },
    "log-level": { value: "LEVEL", help: "debug, info, warn or error" },
  },
  examples: [
    "cox operator --namespace agents",
    "cox operator -n team-a -n team-b --registry registry.example.org/coxswain",
  ],
  async run({ values }, context) {
    const { env, clock, stderr } = context;
    const log = createLog({ sink: (line) => stderr.write(line), level: levelOf(values["log-level"]), now: clock.now });
    const { kubeconfig, context: kubeContext } = values;
    const access = await findAccess({ env, kubeconfig, context: kubeContext, runPlugin: runCredentialPlugin(context) });
    const client = new KubeClient(access);
    const options = optionsOf(values, access.namespace);
    const election = {
      namespace: options.namespaces[0] ?? access.namespace,
      name: "coxswain-operator",
      identity: `${hostname()}-${randomBytes(4).toString("hex")}`,
    };
    const operator = createOperator({ client, clock, log, options, election });
    const { host, port } = addressOf(values.listen ?? "127.0.0.1:9091");
    let bound = port;
    const names = [host, "127.0.0.1", "localhost", env.POD_IP].filter((name) => name !== undefined);
    const app = createApp({
      routes: statusRoutes(operator),
      hosts: () => names.map((name) => `${name}:${bound}`),
      authenticate: () => undefined,
    });
    const listening = await listen(app, { host, port });
    bound = listening.port;
    log.info("operator", { version: VERSION, server: access.server, status: listening.url });
    const stop = stopSignal();
    try {
      await operator.run(stop);
    } finally {
      await listening.close();
      client.close();
    }
    return 0;
  },
});
export default spec;

function optionsOf(values: Parameters<typeof spec.run>[0]["values"], ownNamespace: string): OperatorOptions {
  const bundled = bundledImages(values.registry ?? DEFAULT_REGISTRY, VERSION);
  const url = values["server-url"];
  const policy = pullPolicies.find((known) => known === values["pull-policy"]);
  if (policy === undefined && values["pull-policy"] !== undefined) {
    throw new AppError("usage.invalid", `--pull-policy ${values["pull-policy"]}: use ${pullPolicies.join(", ")}`);
  }
  checkLists({ egress: values.egress, dns: values.dns, allowedTolerations: values["allow-toleration"] });
  return {
    ...defaultOptions,
    namespaces: [...new Set(values.namespace ?? [ownNamespace])],
    images: { ...bundled.agents, ...Object.fromEntries((values.image ?? []).map(pairOf)) },
    initImage: values["init-image"] ?? bundled.operator,
    imagePullPolicy: policy,
    allowedImages: values["allow-image"],
    allowedServiceAccounts: values["allow-service-account"] ?? [],
    allowedPriorityClasses: values["allow-priority-class"] ?? [],
    allowedTolerations: values["allow-toleration"] ?? [],
    allowedLabels: values["allow-label"] ?? [],
    fence: values.egress && { egress: values.egress, ...(values.dns ? { dns: values.dns } : {}) },
    server: url === undefined ? undefined : { url, tokenSecret: values["server-token-secret"] ?? "coxswain-server" },
    startTimeoutMs:
      values["start-timeout"] === undefined
        ? defaultOptions.startTimeoutMs
        : parseDuration("--start-timeout", values["start-timeout"]),
    workers: values.workers === undefined ? defaultOptions.workers : workersOf(values.workers),
  };
}

const pullPolicies = ["Always", "IfNotPresent", "Never"] as const;

function pairOf(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at > 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)];
  throw new AppError("usage.invalid", `--image ${JSON.stringify(text)}: use TYPE=IMAGE`);
}

function workersOf(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new AppError("usage.invalid", `--workers ${JSON.stringify(text)}: not a number from 1 to 999`);
}

function addressOf(text: string): { host: string; port: number } {
  const match = /^(.+):(\d{1,5})$/.exec(text);
  if (match?.[1] !== undefined) return { host: match[1], port: Number(match[2]) };
  throw new AppError("usage.invalid", `--listen ${JSON.stringify(text)}: use HOST:PORT`);
}

function levelOf(text: string | undefined): Level {
  const level = (["debug", "info", "warn", "error"] as const).find((known) => known === (text ?? "info"));
  if (level !== undefined) return level;
  throw new AppError("usage.invalid", `--log-level ${text}: use debug, info, warn or error`);
}

/** The first signal ends the term cleanly, so that the next one leads at once. A second one is not waited out. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  return controller.signal;
}
