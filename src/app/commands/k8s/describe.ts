import type { EventObject } from "../../../cluster/kube/objects.ts";
import { events, tasks } from "../../../cluster/kube/resource.ts";
import { type Cluster, clusterOptions, found, withCluster } from "../../../cluster/tasks/cluster.ts";
import { plainObject } from "../../../cluster/tasks/print.ts";
import { responseOfTask } from "../../../cluster/tasks/task-record.ts";
import { isFinalPhase, type Task } from "../../../contract/resources/task.ts";
import { formatCost, formatCount, formatDuration } from "../../../contract/words/figures.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { renderTable } from "../../../lib/command/table.ts";
import { oneLine, printable } from "../../../lib/text/printable.ts";

export default command({
  name: "k8s describe",
  summary: "Show all that is known of a Task: how it stands and why, its outputs, what happened, what it answered.",
  usage: "cox k8s describe TASK [options]",
  examples: ["cox k8s describe fix-login"],
  words: [1, 1],
  options: { json: { help: "print the Task and its events as one JSON document" }, ...clusterOptions },
  async run({ values, positionals }, context) {
    const [name = ""] = positionals;
    return withCluster(values, context, async (cluster) => {
      const task = await found(`Task ${name}`, cluster, () => cluster.client.get(tasks, cluster.namespace, name));
      const happened = await eventsOf(cluster, name);
      if (values.json) context.stdout.write(`${JSON.stringify({ task: plainObject(task), events: happened })}\n`);
      else print(task, happened, context);
      return 0;
    });
  },
});

async function eventsOf({ client, namespace }: Cluster, name: string): Promise<EventObject[]> {
  const fieldSelector = `involvedObject.kind=Task,involvedObject.name=${name}`;
  const { items } = await client.list(events, namespace, { fieldSelector, limit: 100 });
  return items.sort((a, b) => timeOf(a).localeCompare(timeOf(b)));
}

const timeOf = ({ lastTimestamp, firstTimestamp, metadata }: EventObject): string =>
  lastTimestamp ?? firstTimestamp ?? metadata.creationTimestamp ?? "";

function print(task: Task, happened: readonly EventObject[], { stdout, clock }: Context): void {
  const parts = [renderTable(facts(task, clock.now()))];
  const { outputs = [], conditions = [] } = task.status ?? {};
  const rows = (title: string, list: readonly (readonly string[])[]) => {
    if (list.length > 0) parts.push(`\n${title}\n${renderTable(list.map((row) => ["", ...row.map(oneLine)]))}`);
  };
  rows(
    "Conditions",
    conditions.map(({ type, status, reason, message }) => [type, status, reason, message]),
  );
  rows(
    "Outputs",
    outputs.filter((line) => !line.startsWith("response: ")).map((line) => [line]),
  );
  rows(
    "Events",
    happened.map((event) => [timeOf(event), event.type, event.reason, event.message]),
  );
  parts.push(`\nPrompt\n${indented(task.spec.prompt)}`);
  const response = responseOfTask(task);
  if (response !== undefined) parts.push(`\nResponse\n${indented(response)}`);
  stdout.write(parts.join(""));
}

const indented = (text: string): string =>
  printable(text.trimEnd())
    .split("\n")
    .map((line) => `  ${line}\n`)
    .join("");

function facts({ metadata, spec, status = {} }: Task, now: number): string[][] {
  const { phase = "Pending", reason = "", message = "", usage = {} } = status;
  const configs = spec.agentConfigRefs ?? (spec.agentConfigRef === undefined ? [] : [spec.agentConfigRef]);
  const all: [string, string | undefined][] = [
    ["Task", `${metadata.namespace}/${metadata.name}`],
    ["Phase", reason === "" ? phase : `${phase} (${reason})`],
    ["Why", oneLine(message)],
    ["Exit code", status.exitCode?.toString()],
    ["Agent", [spec.type, spec.model, spec.effort].filter(Boolean).join(", ")],
    ["Image", spec.image],
    ["Workspace", spec.workspaceRef?.name],
    ["Branch", spec.branch],
    ["Config", configs.map(({ name }) => name).join(", ")],
    ["Depends on", spec.dependsOn?.join(", ")],
    ["Attempts", status.attempts?.toString()],
    ["Job", status.jobName],
    ["Pod", status.podName],
    ["Began", status.startTime],
    ["Took", tookOf(status, now)],
    [
      "Tokens",
      usage.inputTokens === undefined
        ? ""
        : `${formatCount(usage.inputTokens)} in, ${formatCount(usage.outputTokens ?? 0)} out`,
    ],
    ["Cost", formatCost(Number(usage.costUSD ?? 0))],
  ];
  return all.flatMap(([label, value]) => (value === undefined || value === "" ? [] : [[label, value]]));
}

function tookOf({ startTime, completionTime, phase }: NonNullable<Task["status"]>, now: number): string {
  if (startTime === undefined) return "";
  const end = completionTime === undefined ? now : Date.parse(completionTime);
  const took = formatDuration(end - Date.parse(startTime));
  return isFinalPhase(phase) ? took : `${took} so far`;
}
