import type { RecordedEvent } from "../../../contract/events.ts";
import { isFinalPhase, type Task } from "../../../contract/resources/task.ts";
import { Channel } from "../../../lib/base/channel.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import { hasStatus, isNotFound } from "../../kube/error.ts";
import type { Cluster } from "../cluster.ts";
import { followTask } from "../follow-task.ts";
import { LogEvents } from "./log-events.ts";
import { podLog } from "./pod-log.ts";

export type TaskNews =
  /** Each time the Task changes. */
  | { task: Task }
  | { events: RecordedEvent[] }
  /** It was deleted while we looked. */
  | { deleted: true };

const PAUSE_MS = 300;

/** Everything that a Task does, live: its states, and what the agents of its attempts say, to its end. */
export async function* taskNews(
  cluster: Cluster,
  name: string,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<TaskNews> {
  const news = new Channel<TaskNews>();
  const follow = async () => {
    let pod: string | undefined;
    let said: Promise<void> = Promise.resolve();
    const ended = new AbortController();
    for await (const task of followTask(cluster, name, clock, signal)) {
      news.push(task === undefined ? { deleted: true } : { task });
      const isLast = task === undefined || isFinalPhase(task.status?.phase);
      const next = task?.status?.podName;
      if (task !== undefined && next !== undefined && next !== pod) {
        pod = next;
        // One attempt after the other, as they were.
        said = said.then(() => attempt(task, next, ended.signal));
      }
      if (!isLast) continue;
      ended.abort(); // a pod that never spoke won't any more
      return said;
    }
    return said;
  };
  const attempt = async (task: Task, pod: string, ended: AbortSignal) => {
    for await (const events of podEvents({ cluster, task, pod, clock, signal, ended })) news.push({ events });
  };
  follow().then(
    () => news.end(),
    (error: unknown) => news.fail(error),
  );
  yield* news;
}

interface Attempt {
  cluster: Cluster;
  task: Task;
  pod: string;
  clock: Clock;
  signal: AbortSignal;
  /** The Task is over: whatever its pod will ever say is there now. */
  ended: AbortSignal;
}

/** One pod's log. A container that isn't there yet is waited for; a stream that breaks is taken up where it broke. */
async function* podEvents({ cluster, task, pod, clock, signal, ended }: Attempt): AsyncGenerator<RecordedEvent[]> {
  const log = await LogEvents.open(task.spec.type);
  yield log.prompt(task.spec.prompt, task.status?.startTime ?? "");
  let after: string | undefined;
  while (!signal.aborted) {
    const isLastLook = ended.aborted;
    try {
      for await (const lines of podLog(cluster, { pod, container: task.spec.type, follow: true, after, signal })) {
        after = lines.at(-1)?.at ?? after;
        yield log.read(lines);
      }
      break;
    } catch (error) {
      if (signal.aborted || isNotFound(error) || (hasStatus(error, 400) && isLastLook)) break;
    }
    await clock.sleep(PAUSE_MS, signal);
  }
  yield log.end("the pod's log ends here");
}
