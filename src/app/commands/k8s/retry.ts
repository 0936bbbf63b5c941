import { hasStatus } from "../../../cluster/kube/error.ts";
import { tasks } from "../../../cluster/kube/resource.ts";
import { type Cluster, clusterOptions, found, withCluster } from "../../../cluster/tasks/cluster.ts";
import { printJson } from "../../../cluster/tasks/print.ts";
import { AppError } from "../../../contract/errors.ts";
import { API_VERSION, GROUP } from "../../../contract/resources/names.ts";
import { isFinalPhase, type Task } from "../../../contract/resources/task.ts";
import { command } from "../../../lib/command/command.ts";
import { showTask } from "./show-task.ts";

const MAX_NAME = 63;

export default command({
  name: "k8s retry",
  summary: "Run a Task once more: a new Task with the same spec, because a spec can't change.",
  usage: "cox k8s retry TASK [options]",
  examples: ["cox k8s retry fix-login"],
  words: [1, 1],
  options: {
    "append-failure": { help: "tell the agent what went wrong before" },
    detach: { short: "d", help: "print the new Task's name and don't wait" },
    json: { help: "print events as JSON lines; with --detach: the Task" },
    quiet: { short: "q", help: "print only the final answer" },
    ...clusterOptions,
  },
  async run({ values, positionals }, context) {
    const [name = ""] = positionals;
    return withCluster(values, context, async (cluster) => {
      const before = await found(`Task ${name}`, cluster, () => cluster.client.get(tasks, cluster.namespace, name));
      if (!isFinalPhase(before.status?.phase)) {
        throw new AppError("task.state", `Task ${name}: has not ended yet; \`cox k8s cancel ${name}\` first`);
      }
      const again = await create(cluster, before, values["append-failure"] === true);
      if (!values.detach) return showTask(cluster, again, values, context);
      if (values.json) printJson([again], context);
      else context.stdout.write(`${again.metadata.name}\n`);
      return 0;
    });
  },
});

/** The first number that is free; whoever is faster has it. */
async function create({ client, namespace }: Cluster, before: Task, withFailure: boolean): Promise<Task> {
  const origin = before.metadata.labels?.[`${GROUP}/retry-of`] ?? before.metadata.name;
  for (let number = 2; ; number += 1) {
    const ending = `-retry-${number}`;
    const name = `${origin.slice(0, MAX_NAME - ending.length)}${ending}`;
    const labels = { ...before.metadata.labels, [`${GROUP}/retry-of`]: origin };
    const task: Task = {
      apiVersion: API_VERSION,
      kind: "Task",
      metadata: { name, namespace, labels },
      spec: specAgain(before, withFailure),
    };
    try {
      return await client.create(tasks, task);
    } catch (error) {
      if (!hasStatus(error, 409)) throw error;
    }
  }
}

function specAgain({ spec, status }: Task, withFailure: boolean): Task["spec"] {
  const { cancel: _, ...same } = spec;
  const why = [status?.reason, status?.message].filter(Boolean).join(": ");
  if (!withFailure || status?.phase === "Succeeded" || why === "") return same;
  return { ...same, prompt: `${same.prompt}\n\nAn earlier attempt at this did not succeed: ${why}` };
}
