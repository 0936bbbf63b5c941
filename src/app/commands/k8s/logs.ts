import { isNotFound } from "../../../cluster/kube/error.ts";
import { tasks } from "../../../cluster/kube/resource.ts";
import { type Cluster, clusterOptions, found, withCluster } from "../../../cluster/tasks/cluster.ts";
import { keptTranscript } from "../../../cluster/tasks/log/kept-transcript.ts";
import { LogEvents } from "../../../cluster/tasks/log/log-events.ts";
import { podLog } from "../../../cluster/tasks/log/pod-log.ts";
import { AppError } from "../../../contract/errors.ts";
import type { RecordedEvent } from "../../../contract/events.ts";
import { isFinalPhase, type Task } from "../../../contract/resources/task.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { printableJson } from "../../../lib/text/printable.ts";
import { printLog } from "./print-log.ts";
import { showTask } from "./show-task.ts";

export default command({
  name: "k8s logs",
  summary: "Print what a Task's agent said and did.",
  usage: "cox k8s logs TASK [options]",
  words: [1, 1],
  options: {
    follow: { short: "f", help: "go on until the Task has ended, live" },
    raw: { help: "print the pod's log as it is" },
    json: { help: "print events as JSON lines" },
    ...clusterOptions,
  },
  examples: ["cox k8s logs -f fix-login", "cox k8s logs fix-login --json | jq -r 'select(.type == \"error\").message'"],
  async run({ values, positionals }, context) {
    const [name = ""] = positionals;
    return withCluster(values, context, async (cluster) => {
      const task = await found(`Task ${name}`, cluster, () => cluster.client.get(tasks, cluster.namespace, name));
      if (values.follow && !values.raw && !isFinalPhase(task.status?.phase)) {
        await showTask(cluster, task, values, context);
        return 0;
      }
      if (values.raw) await printRaw(cluster, task, values.follow === true, context);
      else await printEvents(cluster, task, values.json === true, context);
      return 0;
    });
  },
});

async function printRaw(cluster: Cluster, task: Task, follow: boolean, { stdout }: Context): Promise<void> {
  for await (const lines of linesOf(cluster, task, follow)) {
    stdout.write(lines.map(({ text = "[a line too long to show]" }) => `${text}\n`).join(""));
  }
}

async function printEvents(cluster: Cluster, task: Task, json: boolean, context: Context): Promise<void> {
  const events = eventsOf(cluster, task, context);
  if (!json) return printLog(events, task, context);
  for await (const batch of events) context.stdout.write(batch.map((event) => `${printableJson(event)}\n`).join(""));
}

/** From the pod, or from the server that kept it. */
async function* eventsOf(cluster: Cluster, task: Task, { env }: Context): AsyncGenerator<RecordedEvent[]> {
  const log = await LogEvents.open(task.spec.type);
  const start = log.prompt(task.spec.prompt, task.status?.startTime ?? "");
  const isFinal = isFinalPhase(task.status?.phase);
  let isBegun = false;
  try {
    for await (const lines of linesOf(cluster, task, false)) {
      yield isBegun ? log.read(lines) : [...start, ...log.read(lines)];
      isBegun = true;
    }
  } catch (error) {
    if (!isNotFound(error) || isBegun) throw error;
    return yield* keptTranscript(task, env);
  }
  if (isFinal) yield log.end("the pod's log ends here");
}

function linesOf(cluster: Cluster, { metadata, spec, status }: Task, follow: boolean) {
  const pod = status?.podName;
  if (pod !== undefined) return podLog(cluster, { pod, container: spec.type, follow });
  const why = status?.message ?? "it has no pod yet";
  throw new AppError("task.state", `Task ${metadata.name}: nothing was said: ${why}`);
}
