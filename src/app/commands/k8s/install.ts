import { namespacesOf } from "../../../cluster/operator/manifests.ts";
import { applyAll, rolledOut } from "../../../cluster/tasks/apply.ts";
import { clusterOptions, withCluster } from "../../../cluster/tasks/cluster.ts";
import { DEFAULT_NAMESPACE, installOptions, manifestsOf, optionsFrom } from "../../../cluster/tasks/installation.ts";
import { printYaml } from "../../../cluster/tasks/print.ts";
import { command } from "../../../lib/command/command.ts";
import { parseDuration } from "../../../lib/command/duration.ts";

const { namespace: _, ...cluster } = clusterOptions;

export default command({
  name: "k8s install",
  summary: "Put the operator on a cluster: its kinds, its account with its rights, and its Deployment.",
  usage: "cox k8s install [options]",
  words: [0, 0],
  options: {
    namespace: { short: "n", value: "NAME", help: `where it lives, and looks for Tasks (${DEFAULT_NAMESPACE})` },
    ...installOptions,
    "dry-run": { help: "print all of it as YAML and apply nothing; needs no cluster" },
    "no-wait": { help: "don't wait until the operator is up" },
    timeout: { value: "TIME", help: "how long to wait for that (2m)" },
    ...cluster,
  },
  examples: [
    "cox k8s install",
    "cox k8s install --dry-run | kubectl diff -f -",
    "cox k8s install -n team-a --egress 10.0.0.0/8",
    "cox k8s install --watch team-a --watch team-b",
  ],
  async run({ values }, context) {
    const options = optionsFrom(values);
    const manifests = manifestsOf(options, values["namespaced-only"] === true);
    if (values["dry-run"]) {
      await printYaml(manifests, context);
      return 0;
    }
    return withCluster(values, context, async (connected) => {
      await applyAll(connected, manifests, (text) => void context.stdout.write(text));
      if (!values["no-wait"]) {
        await rolledOut(
          connected,
          options.namespace,
          context.clock,
          parseDuration("--timeout", values.timeout ?? "2m"),
        );
      }
      const all = namespacesOf(options);
      const where = `namespace${all.length > 1 ? "s" : ""} ${all.join(", ")}`;
      context.stdout.write(`installed; Tasks in ${where} will run: cox k8s run -n ${options.namespace} …\n`);
      return 0;
    });
  },
});
