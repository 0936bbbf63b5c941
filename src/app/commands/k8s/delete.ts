import { type Cluster, clusterOptions, found, withCluster } from "../../../cluster/tasks/cluster.ts";
import { kindOf, namedThings } from "../../../cluster/tasks/kinds.ts";
import { AppError } from "../../../contract/errors.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { confirm } from "../../../lib/command/confirm.ts";

export default command({
  name: "k8s delete",
  summary: "Delete Tasks, with their Jobs, pods and logs; or Workspaces, or AgentConfigs.",
  usage: "cox k8s delete [task|workspace|agentconfig] NAME... [options]",
  options: {
    all: { help: "all of that kind in the namespace" },
    yes: { short: "y", help: "with --all: don't ask" },
    ...clusterOptions,
  },
  examples: ["cox k8s delete fix-login", "cox k8s delete tasks --all -n staging -y"],
  async run({ values, positionals }, context) {
    return withCluster(values, context, async (cluster) => {
      const { resource, names } = values.all
        ? await everything(positionals, values.yes === true, cluster, context)
        : namedThings(positionals);
      if (names.length === 0 && !values.all)
        throw new AppError("usage.invalid", "cox k8s delete: which? give names, or --all");
      for (const name of names) {
        const what = `${resource.kind} ${name}`;
        await found(what, cluster, () => cluster.client.delete(resource, cluster.namespace, name));
        context.stdout.write(`${what} deleted\n`);
      }
      return 0;
    });
  },
});

async function everything(
  [word = "tasks", ...rest]: readonly string[],
  yes: boolean,
  cluster: Cluster,
  context: Context,
) {
  if (rest.length > 0) throw new AppError("usage.invalid", "cox k8s delete: give names or --all, not both");
  const resource = kindOf(word);
  const { items } = await cluster.client.list(resource, cluster.namespace);
  const names = items.map(({ metadata }) => metadata.name);
  const question = `Delete ${names.length} ${resource.plural} in namespace ${cluster.namespace}?`;
  const isSure = yes || names.length === 0 || (await confirm(question, context, "cox k8s delete --all: add --yes"));
  return { resource, names: isSure ? names : [] };
}
