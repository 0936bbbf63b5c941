import { clusterOptions, withCluster } from "../../../cluster/tasks/cluster.ts";
import { followTask } from "../../../cluster/tasks/follow-task.ts";
import { printJson } from "../../../cluster/tasks/print.ts";
import { exitCodeOfTask } from "../../../cluster/tasks/task-record.ts";
import { AppError } from "../../../contract/errors.ts";
import { isFinalPhase, type Task } from "../../../contract/resources/task.ts";
import { command } from "../../../lib/command/command.ts";
import { parseDuration } from "../../../lib/command/duration.ts";
import { oneLine } from "../../../lib/text/printable.ts";

export default command({
  name: "k8s wait",
  summary: "Wait until Tasks have ended. The exit code is the worst of theirs.",
  usage: "cox k8s wait TASK... [options]",
  examples: ["cox k8s wait fix-login docs --timeout 30m"],
  options: {
    timeout: { value: "TIME", help: "give up after this long (exit code 124); the Tasks go on" },
    json: { help: "print each Task as a line of JSON" },
    ...clusterOptions,
  },
  async run({ values, positionals }, context) {
    if (positionals.length === 0)
      throw new AppError("usage.invalid", "cox k8s wait: which Task? usage: cox k8s wait TASK...");
    const limit = values.timeout === undefined ? undefined : parseDuration("--timeout", values.timeout);
    const given = limit === undefined ? new AbortController().signal : AbortSignal.timeout(limit);
    return withCluster(values, context, async (cluster) => {
      let worst = 0;
      for (const name of positionals) {
        const task = await ended(followTask(cluster, name, context.clock, given));
        if (task === "late") throw new AppError("timeout", `Task ${name}: still runs after ${values.timeout}`);
        if (task === "gone")
          throw new AppError("task.not_found", `Task ${name}: there is none in namespace ${cluster.namespace}`);
        const { phase, reason, message } = task.status ?? {};
        if (values.json) printJson([task], context);
        else
          context.stdout.write(
            `${name} ${phase}${oneLine([reason, message].filter(Boolean).join(": ")).replace(/^(?=.)/, ": ")}\n`,
          );
        worst = Math.max(worst, exitCodeOfTask(task));
      }
      return worst;
    });
  },
});

async function ended(states: AsyncIterable<Task | undefined>): Promise<Task | "late" | "gone"> {
  for await (const task of states) {
    if (task === undefined) return "gone";
    if (isFinalPhase(task.status?.phase)) return task;
  }
  return "late";
}
