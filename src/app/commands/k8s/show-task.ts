import type { Cluster } from "../../../cluster/tasks/cluster.ts";
import { taskNews } from "../../../cluster/tasks/log/task-log.ts";
import { exitCodeOfTask, placeOf, recordOf } from "../../../cluster/tasks/task-record.ts";
import { AppError } from "../../../contract/errors.ts";
import { isFinalPhase, type Task } from "../../../contract/resources/task.ts";
import { readConfig } from "../../../core/config/config-file.ts";
import { homePath } from "../../../core/store/home.ts";
import { createView } from "../../../faces/cli/view/index.ts";
import type { Context } from "../../../lib/command/command.ts";
import { styleFor } from "../../../lib/command/style.ts";
import { printable } from "../../../lib/text/printable.ts";

/** The same view that a local run has, fed by the pod's stream. Ctrl-C leaves; the Task goes on. */
export async function showTask(
  cluster: Cluster,
  task: Task,
  wishes: { json?: boolean; quiet?: boolean },
  context: Context,
): Promise<number> {
  const { name } = task.metadata;
  const leave = new AbortController();
  const detach = () => leave.abort();
  process.once("SIGINT", detach);
  context.onOutputGone(detach);
  const config = await readConfig(homePath(context.env));
  const style = styleFor(wishes, context);
  const view = createView({
    context,
    style,
    interactive: false,
    header: { run_id: name, handle: 0, agent: task.spec.type, model: task.spec.model ?? "", cwd: placeOf(task) },
    send: async () => {
      throw alone();
    },
    readBody: () => {
      throw alone();
    },
    onInterruptKey: detach,
    interruptKey: () => "leaves, ? keys",
    onDetachKey: detach,
    says: { ctrlC: "leaves; the Task goes on" },
    thinking: config["view.thinking"],
    color: config.color,
  });
  const tell = style === "plain" ? phaseTeller(context) : () => {};
  let last = task;
  let turns = 0;
  let isDeleted = false;
  try {
    for await (const news of taskNews(cluster, name, context.clock, leave.signal)) {
      if ("events" in news) {
        view.show(news.events);
        turns += news.events.filter((event) => event.type === "complete").length;
      } else if ("task" in news) {
        last = news.task;
        tell(last);
      } else isDeleted = true;
    }
    if (isFinalPhase(last.status?.phase)) view.finish(recordOf(last, turns));
  } finally {
    view.close();
    process.off("SIGINT", detach);
  }
  if (isFinalPhase(last.status?.phase)) return exitCodeOfTask(last);
  if (isDeleted) throw new AppError("task.not_found", `Task ${name}: was deleted before it ended`);
  context.stderr.write(`detached; Task ${name} goes on: \`cox k8s logs -f ${name}\`\n`);
  return 0;
}

/** While no agent speaks, what it waits for is all there is to see. */
function phaseTeller({ stderr }: Context): (task: Task) => void {
  let told = "";
  return ({ status = {} }) => {
    const { phase = "Pending", reason, message } = status;
    if (isFinalPhase(phase)) return;
    const line = [phase, reason, message].filter(Boolean).join(": ");
    if (line === told) return;
    told = line;
    stderr.write(`${printable(line).replaceAll("\n", " ")}\n`);
  };
}

const alone = () =>
  new AppError("command.unsupported", "an agent in a pod works alone: it asks nothing and takes no prompts");
