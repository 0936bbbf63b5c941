import type { InstallOptions } from "../../../cluster/operator/manifests.ts";
import { applyAll, deleteAll, rolledOut } from "../../../cluster/tasks/apply.ts";
import { clusterOptions, withCluster } from "../../../cluster/tasks/cluster.ts";
import {
  DEFAULT_NAMESPACE,
  type InstallValues,
  installedIn,
  installOptions,
  manifestsOf,
  nameOf,
  optionsFrom,
} from "../../../cluster/tasks/installation.ts";
import { printYaml } from "../../../cluster/tasks/print.ts";
import { AppError } from "../../../contract/errors.ts";
import { command } from "../../../lib/command/command.ts";
import { parseDuration } from "../../../lib/command/duration.ts";

const { namespace: _, ...cluster } = clusterOptions;

export default command({
  name: "k8s upgrade",
  summary: "Bring the operator to the version of this cox. What it was installed with stays, unless it is said anew.",
  usage: "cox k8s upgrade [options]",
  examples: ["cox k8s upgrade"],
  words: [0, 0],
  options: {
    namespace: { short: "n", value: "NAME", help: `where it lives (${DEFAULT_NAMESPACE})` },
    ...installOptions,
    "dry-run": { help: "print what would be applied as YAML" },
    "no-wait": { help: "don't wait until the operator is up" },
    timeout: { value: "TIME", help: "how long to wait for that (2m)" },
    ...cluster,
  },
  async run({ values }, context) {
    return withCluster(values, context, async (connected) => {
      const namespace = values.namespace ?? DEFAULT_NAMESPACE;
      const before = await installedIn(connected, namespace);
      if (before === undefined) {
        throw new AppError(
          "cluster.refused",
          `namespace ${namespace}: there is no operator; use \`cox k8s install -n ${namespace}\``,
        );
      }
      const namespacedOnly = values["namespaced-only"] === true;
      const options = changed(before, values);
      const manifests = manifestsOf(options, namespacedOnly);
      if (values["dry-run"]) {
        await printYaml(manifests, context);
        return 0;
      }
      const tell = (text: string) => void context.stdout.write(text);
      await applyAll(connected, manifests, tell);
      // Rights that the new choice has no use for must not stay.
      const kept = new Set(manifests.map(nameOf));
      const stale = manifestsOf(before, namespacedOnly).filter((manifest) => !kept.has(nameOf(manifest)));
      await deleteAll(connected, stale, tell);
      if (!values["no-wait"]) {
        await rolledOut(connected, namespace, context.clock, parseDuration("--timeout", values.timeout ?? "2m"));
      }
      return 0;
    });
  },
});

/** The image is always this version's, else nothing would be upgraded. */
function changed(before: InstallOptions, values: InstallValues): InstallOptions {
  const { image, ...said } = optionsFrom(values);
  const registry = before.args?.find((arg) => arg.startsWith("--registry="))?.slice("--registry=".length);
  const own =
    values.image ?? (values.registry === undefined && registry !== undefined ? optionsFrom({ registry }).image : image);
  return { ...before, ...said, image: own };
}
