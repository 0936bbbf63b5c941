import { tasks } from "../../../cluster/kube/resource.ts";
import { clusterOptions, found, withCluster } from "../../../cluster/tasks/cluster.ts";
import { printJson } from "../../../cluster/tasks/print.ts";
import { AppError } from "../../../contract/errors.ts";
import { isFinalPhase } from "../../../contract/resources/task.ts";
import { command } from "../../../lib/command/command.ts";

export default command({
  name: "k8s cancel",
  summary: "Ask Tasks to stop. Each agent has its grace, and what it had by then is kept.",
  usage: "cox k8s cancel TASK... [options]",
  examples: ["cox k8s cancel fix-login"],
  options: { json: { help: "print each Task as a line of JSON" }, ...clusterOptions },
  async run({ values, positionals }, context) {
    if (positionals.length === 0) throw new AppError("usage.invalid", "cox k8s cancel: which Task?");
    return withCluster(values, context, async (cluster) => {
      const { client, namespace } = cluster;
      for (const name of positionals) {
        const task = await found(`Task ${name}`, cluster, () => client.get(tasks, namespace, name));
        const phase = task.status?.phase;
        if (isFinalPhase(phase)) throw new AppError("task.state", `Task ${name}: has ended already (${phase})`);
        const asked = await client.patch(tasks, namespace, name, { spec: { cancel: true } });
        if (values.json) printJson([asked], context);
        else context.stdout.write(`${name} is asked to stop; see \`cox k8s wait ${name}\`\n`);
      }
      return 0;
    });
  },
});
