import type { Task } from "../../contract/resources/task.ts";
import type { Clock } from "../../lib/base/clock.ts";
import { linesOf } from "../../lib/text/lines.ts";
import { isNotFound } from "../kube/error.ts";
import { pathOf, tasks } from "../kube/resource.ts";
import { parseWatchLine } from "../kube/watch-line.ts";
import type { Cluster } from "./cluster.ts";

const PAUSE_MS = 500;

/** A Task each time it changes, the state it is in first; `undefined` when it is deleted, and that is the last. */
export async function* followTask(
  { client, namespace }: Cluster,
  name: string,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<Task | undefined> {
  while (!signal.aborted) {
    const task = await current();
    yield task;
    if (task === undefined) return;
    try {
      for await (const next of watch(task.metadata.resourceVersion)) {
        yield next;
        if (next === undefined) return;
      }
    } catch {
      // A watch may be cut, or be too old to go on: looking again tells all that was missed. A refusal is told by the look.
    }
    await clock.sleep(PAUSE_MS, signal);
  }

  async function current(): Promise<Task | undefined> {
    try {
      return await client.get(tasks, namespace, name);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async function* watch(resourceVersion: string | undefined): AsyncGenerator<Task | undefined> {
    const query = { watch: true, resourceVersion, fieldSelector: `metadata.name=${name}`, timeoutSeconds: 300 };
    const response = await client.open("GET", pathOf(tasks, namespace), { query, signal });
    response.on("error", () => {}); // told by the loop below
    try {
      for await (const lines of linesOf(response)) {
        for (const line of lines) {
          const event = "text" in line ? parseWatchLine(tasks, line.text) : undefined;
          if (event === undefined || event.type === "error") return;
          if (event.type === "changed") yield event.object;
          if (event.type === "deleted") yield undefined;
        }
      }
    } finally {
      response.destroy();
    }
  }
}
