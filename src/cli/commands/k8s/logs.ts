import { AppError } from "../../../contract/errors.ts";
import { isFinalPhase, type Task } from "../../../contract/resources/task.ts";
import { isNotFound } from "../../../operator/kube/error.ts";
import { tasks } from "../../../operator/kube/resource.ts";
import { type Context, command, requirePositionals } from "../../command.ts";
import { type Cluster, clusterOptions, found, withCluster } from "../../k8s/cluster.ts";
import { LogEvents } from "../../k8s/log-events.ts";
import { podLog } from "../../k8s/pod-log.ts";
import { printLog } from "../../k8s/print-log.ts";
import { showTask } from "../../k8s/show-task.ts";
import { printableJson } from "../../view/printable.ts";

const spec = command({
  name: "k8s logs",
  summary: "Print what a Task's agent said and did.",
  usage: "cox k8s logs TASK [options]",
  options: {
    follow: { short: "f", help: "go on until the Task has ended, live" },
    raw: { help: "print the pod's log as it is" },
    json: { help: "print events as JSON lines" },
    ...clusterOptions,
  },
  examples: ["cox k8s logs -f fix-login", "cox k8s logs fix-login --json | jq -r 'select(.type == \"error\").message'"],
  async run({ values, positionals }, context) {
    requirePositionals(spec, positionals, 1);
    const [name = ""] = positionals;
    return withCluster(values, context, async (cluster) => {
      const task = await found(`Task ${name}`, cluster, () => cluster.client.get(tasks, cluster.namespace, name));
      if (values.follow && !values.raw) {
        await showTask(cluster, task, values, context);
        return 0;
      }
      if (values.raw) await printRaw(cluster, task, values.follow === true, context);
      else await printEvents(cluster, task, values.json === true, context);
      return 0;
    });
  },
});
export default spec;

async function printRaw(cluster: Cluster, task: Task, follow: boolean, { stdout }: Context): Promise<void> {
  for await (const lines of linesOf(cluster, task, follow)) {
    stdout.write(lines.map(({ text = "[a line too long to show]" }) => `${text}\n`).join(""));
  }
}

async function printEvents(cluster: Cluster, task: Task, json: boolean, context: Context): Promise<void> {
  const log = await LogEvents.open(task.spec.type);
  const events = async function* () {
    yield log.prompt(task.spec.prompt, task.status?.startTime ?? "");
    for await (const lines of linesOf(cluster, task, false)) yield log.read(lines);
    if (isFinalPhase(task.status?.phase)) yield log.end("the pod's log ends here");
  };
  if (!json) return printLog(events(), task, context);
  for await (const batch of events()) context.stdout.write(batch.map((event) => `${printableJson(event)}\n`).join(""));
}

function linesOf(cluster: Cluster, { metadata, spec, status }: Task, follow: boolean) {
  const pod = status?.podName;
  if (pod === undefined) {
    const why = status?.message ?? "it has no pod yet";
    throw new AppError("task.state", `Task ${metadata.name}: nothing was said: ${why}`);
  }
  const lines = podLog(cluster, { pod, container: spec.type, follow });
  return explained(lines, `Task ${metadata.name}`, pod);
}

async function* explained<T>(source: AsyncIterable<T>, what: string, pod: string): AsyncGenerator<T> {
  try {
    yield* source;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const message = `${what}: its pod ${pod} is gone, and its log with it; \`cox k8s describe\` shows what it left`;
    throw new AppError("task.state", message, {}, { cause: error });
  }
}
