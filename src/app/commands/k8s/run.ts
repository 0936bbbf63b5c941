import { tasks } from "../../../cluster/kube/resource.ts";
import { clusterOptions, found, withCluster } from "../../../cluster/tasks/cluster.ts";
import { findCredentials } from "../../../cluster/tasks/credentials.ts";
import { printJson, printYaml } from "../../../cluster/tasks/print.ts";
import { taskOf } from "../../../cluster/tasks/task-spec.ts";
import { readPrompt } from "../../../faces/cli/prompt-words.ts";
import { command } from "../../../lib/command/command.ts";
import { showTask } from "./show-task.ts";
import { taskOptions, wishesIn } from "./task-options.ts";

export default command({
  name: "k8s run",
  summary: "Run an agent as a Task on the cluster, and show it live. Ctrl-C leaves; the Task goes on.",
  usage: "cox k8s run [options] [PROMPT]",
  options: {
    ...taskOptions,
    "prompt-file": { short: "f", value: "FILE", help: "read the prompt from FILE, or from stdin with -" },
    detach: { short: "d", help: "print the Task's name and don't wait" },
    "dry-run": { help: "print the Task as YAML and create nothing" },
    json: { help: "print events as JSON lines; with --detach: the Task" },
    quiet: { short: "q", help: "print only the final answer" },
    ...clusterOptions,
  },
  examples: [
    'cox k8s run --workspace app --branch fix-login "fix the login test"',
    'cox k8s run --depends-on plan "do what {{ index .Deps \\"plan\\" \\"Results\\" \\"branch\\" }} prepares"',
  ],
  async run({ values, positionals }, context) {
    const prompt = await readPrompt(values, positionals, context);
    return withCluster(values, context, async (cluster) => {
      const { client, namespace } = cluster;
      const credentials = await findCredentials(cluster, values.type ?? "claude-code", values.secret);
      const task = taskOf(wishesIn(values), prompt, namespace, credentials);
      if (values["dry-run"]) {
        await printYaml([task], context);
        return 0;
      }
      const created = await found("Task", cluster, () => client.create(tasks, task));
      if (!values.detach) return showTask(cluster, created, values, context);
      if (values.json) printJson([created], context);
      else context.stdout.write(`${created.metadata.name}\n`);
      return 0;
    });
  },
});
