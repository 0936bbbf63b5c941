import { tasks } from "../../../cluster/kube/resource.ts";
import { deleteAll } from "../../../cluster/tasks/apply.ts";
import { type Cluster, clusterOptions, withCluster } from "../../../cluster/tasks/cluster.ts";
import {
  DEFAULT_NAMESPACE,
  installedIn,
  isClusterWide,
  manifestsOf,
  nameOf,
} from "../../../cluster/tasks/installation.ts";
import { AppError } from "../../../contract/errors.ts";
import { command } from "../../../lib/command/command.ts";
import { confirm } from "../../../lib/command/confirm.ts";

const { namespace: _, ...cluster } = clusterOptions;

export default command({
  name: "k8s uninstall",
  summary: "Take the operator away. Tasks stay as they are, and running agents come to their end by themselves.",
  usage: "cox k8s uninstall [options]",
  examples: ["cox k8s uninstall"],
  words: [0, 0],
  options: {
    namespace: { short: "n", value: "NAME", help: `where it lives (${DEFAULT_NAMESPACE})` },
    all: { help: "also the kinds, and with them every Task, Workspace and AgentConfig of the cluster" },
    "dry-run": { help: "print what would be deleted" },
    yes: { short: "y", help: "with --all: don't ask" },
    ...cluster,
  },
  async run({ values }, context) {
    const namespace = values.namespace ?? DEFAULT_NAMESPACE;
    return withCluster(values, context, async (connected) => {
      const options = await installedIn(connected, namespace);
      if (options === undefined) throw new AppError("cluster.refused", `namespace ${namespace}: there is no operator`);
      // The namespace may hold what is somebody else's, so it stays.
      const manifests = manifestsOf(options, false).filter(({ kind }) => kind !== "Namespace");
      const shared = new Set(["CustomResourceDefinition", "ClusterRole"]);
      const doomed = manifests.filter(
        (manifest) => values.all || !isClusterWide(manifest) || !shared.has(manifest.kind),
      );
      if (values["dry-run"]) {
        context.stdout.write(
          doomed
            .toReversed()
            .map((manifest) => `${nameOf(manifest)}\n`)
            .join(""),
        );
        return 0;
      }
      if (values.all && !values.yes) {
        const count = await countTasks(connected);
        const question = `Delete the kinds, and with them ${count} Tasks in all namespaces?`;
        if (!(await confirm(question, context, "cox k8s uninstall --all: add --yes"))) return 1;
      }
      await deleteAll(connected, doomed, (text) => void context.stdout.write(text));
      return 0;
    });
  },
});

async function countTasks({ client }: Cluster): Promise<number> {
  const { items, metadata } = await client.list(tasks, undefined, { limit: 500 });
  return items.length + ((metadata as { remainingItemCount?: number }).remainingItemCount ?? 0);
}
