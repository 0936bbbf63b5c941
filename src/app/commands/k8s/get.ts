import { type KubeObject, type Resource, tasks } from "../../../cluster/kube/resource.ts";
import { type Cluster, clusterOptions, found, withCluster } from "../../../cluster/tasks/cluster.ts";
import { kindOf } from "../../../cluster/tasks/kinds.ts";
import { printJson, printYaml } from "../../../cluster/tasks/print.ts";
import { AppError } from "../../../contract/errors.ts";
import { type Task, type TaskPhase, taskPhases } from "../../../contract/resources/task.ts";
import { formatAge, formatCost } from "../../../contract/words/figures.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { renderTable } from "../../../lib/command/table.ts";
import { oneLine } from "../../../lib/text/printable.ts";

export default command({
  name: "k8s get",
  summary: "List Tasks, or what else is said: workspaces, agentconfigs.",
  usage: "cox k8s get [tasks|workspaces|agentconfigs] [NAME] [options]",
  words: [0, 2],
  options: {
    "all-namespaces": { short: "A", help: "in all namespaces" },
    phase: { value: "A,B", help: `only Tasks in these phases (${taskPhases.join(", ")})` },
    yaml: { help: "print whole objects as YAML" },
    json: { help: "print whole objects as JSON lines" },
    ...clusterOptions,
  },
  examples: ["cox k8s get -A --phase Running,Waiting", "cox k8s get task fix-login --yaml"],
  async run({ values, positionals }, context) {
    const [word = "tasks", name] = positionals;
    const resource = kindOf(word);
    const phases = phasesIn(values.phase);
    return withCluster(values, context, async (cluster) => {
      const everywhere = values["all-namespaces"] === true;
      const all = await found(`${resource.kind} ${name ?? ""}`.trim(), cluster, () =>
        look(cluster, resource, name, everywhere),
      );
      const objects = all.filter((object) => phases === undefined || phases.includes(phaseOf(object)));
      if (values.json) printJson(objects, context);
      else if (values.yaml) await printYaml(objects, context);
      else print(objects, resource, everywhere, context);
      return 0;
    });
  },
});

const PAGE = 500;

/** Page by page: a list of ten thousand must not be one answer. */
async function look(
  { client, namespace }: Cluster,
  resource: Resource,
  name: string | undefined,
  everywhere: boolean,
): Promise<KubeObject[]> {
  if (name !== undefined) return [await client.get(resource, namespace, name)];
  const { apiVersion, kind } = resource;
  const objects: KubeObject[] = [];
  for (let token: string | undefined; ; ) {
    const page = await client.list(resource, everywhere ? undefined : namespace, { limit: PAGE, continue: token });
    objects.push(...page.items.map((item) => ({ ...item, apiVersion, kind }))); // items of a list don't say what they are
    token = page.metadata.continue || undefined;
    if (token === undefined) return objects;
  }
}

const phaseOf = (object: KubeObject): TaskPhase => (object as Task).status?.phase ?? "Pending";

function phasesIn(text: string | undefined): TaskPhase[] | undefined {
  return text?.split(",").map((word) => {
    const phase = taskPhases.find((known) => known.toLowerCase() === word.trim().toLowerCase());
    if (phase !== undefined) return phase;
    throw new AppError("usage.invalid", `--phase ${word}: unknown; choose ${taskPhases.join(", ")}`);
  });
}

function print(objects: readonly KubeObject[], resource: Resource, everywhere: boolean, context: Context): void {
  const { stdout, stderr, clock } = context;
  if (objects.length === 0) {
    stderr.write(`no ${resource.plural}\n`);
    return;
  }
  const isTask = resource.plural === tasks.plural;
  const head = [
    ...(everywhere ? ["NAMESPACE"] : []),
    "NAME",
    "AGE",
    ...(isTask ? ["TYPE", "PHASE", "COST", "BRANCH", "REASON"] : ["ABOUT"]),
  ];
  const rows = objects.map((object) => [
    ...(everywhere ? [object.metadata.namespace ?? ""] : []),
    object.metadata.name,
    formatAge(clock.now() - Date.parse(object.metadata.creationTimestamp ?? "")),
    ...(isTask ? taskCells(object as Task) : [aboutOf(object)]),
  ]);
  stdout.write(renderTable([head, ...rows], stdout.isTTY ? stdout.columns : undefined));
}

function taskCells({ spec: { type, branch }, status = {} }: Task): string[] {
  const cost = formatCost(Number(status.usage?.costUSD ?? 0));
  const why = [status.reason, status.message].filter(Boolean).join(": ");
  return [type, status.phase ?? "Pending", cost, oneLine(branch ?? status.results?.branch ?? ""), oneLine(why)];
}

function aboutOf(object: KubeObject): string {
  const {
    repo,
    ref,
    agentsMD,
    plugins = [],
    mcpServers = [],
  } = (object as { spec?: Record<string, unknown> }).spec ?? {};
  if (typeof repo === "string") return oneLine(typeof ref === "string" ? `${repo} at ${ref}` : repo);
  const names = (list: unknown) =>
    Array.isArray(list) ? list.map(({ name }: { name: string }) => name).join(", ") : "";
  const parts = [
    agentsMD ? "instructions" : "",
    names(plugins) && `plugins ${names(plugins)}`,
    names(mcpServers) && `MCP ${names(mcpServers)}`,
  ];
  return oneLine(parts.filter(Boolean).join("; "));
}
