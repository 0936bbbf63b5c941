import { KubeClient } from "../../cluster/kube/client.ts";
import { isNotFound } from "../../cluster/kube/error.ts";
import { tasks } from "../../cluster/kube/resource.ts";
import { clusterAccess } from "../../cluster/tasks/cluster.ts";
import { taskNews } from "../../cluster/tasks/log/task-log.ts";
import type { ClusterTask, ClusterTaskDetail } from "../../contract/api/cluster.ts";
import { AppError } from "../../contract/errors.ts";
import { isFinalPhase, type Task } from "../../contract/resources/task.ts";
import type { Cluster } from "../../faces/server/ports.ts";
import type { Clock } from "../../lib/base/clock.ts";

/** The cluster that the kubeconfig names; `undefined` where nothing names one. */
export async function clusterFor(env: NodeJS.ProcessEnv, clock: Clock): Promise<Cluster | undefined> {
  const access = await clusterAccess({}, env).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "cluster.config") return undefined;
    throw error;
  });
  if (access === undefined) return undefined;
  const client = new KubeClient(access);
  const find = async (namespace: string, name: string): Promise<Task> => {
    try {
      return await client.get(tasks, namespace, name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw new AppError("task.not_found", `Task ${namespace}/${name}: there is none`, {}, { cause: error });
    }
  };
  return {
    context: access.server,
    namespace: access.namespace,
    async list() {
      const { items } = await client.list(tasks, access.namespace);
      return items.map(summaryOf).sort((a, b) => (a.created < b.created ? 1 : -1));
    },
    get: async (namespace, name) => detailOf(await find(namespace, name)),
    async cancel(namespace, name) {
      const { status } = await find(namespace, name);
      if (isFinalPhase(status?.phase)) {
        throw new AppError("task.state", `Task ${name}: has ended already (${status?.phase})`);
      }
      await client.patch(tasks, namespace, name, { spec: { cancel: true } });
    },
    async *follow(namespace, name, signal) {
      await find(namespace, name);
      for await (const news of taskNews({ client, namespace }, name, clock, signal)) {
        if ("events" in news) yield news.events;
      }
    },
  };
}

function summaryOf({ metadata, spec, status = {} }: Task): ClusterTask {
  const { inputTokens = 0, outputTokens = 0, costUSD } = status.usage ?? {};
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    type: spec.type,
    model: spec.model,
    phase: status.phase ?? "",
    reason: status.reason ?? "",
    message: status.message ?? "",
    branch: spec.branch,
    workspace: spec.workspaceRef?.name,
    depends_on: spec.dependsOn ?? [],
    attempts: status.attempts ?? 0,
    created: metadata.creationTimestamp ?? "",
    started: status.startTime,
    ended: status.completionTime,
    job: status.jobName,
    pod: status.podName,
    cost_usd: costUSD === undefined ? undefined : Number(costUSD) || 0,
    tokens: status.usage === undefined ? undefined : inputTokens + outputTokens,
  };
}

function detailOf(task: Task): ClusterTaskDetail {
  const { results = {}, outputs = [], conditions = [] } = task.status ?? {};
  return {
    ...summaryOf(task),
    prompt: task.spec.prompt,
    results,
    outputs,
    conditions: conditions.map(({ type, status, reason, message, lastTransitionTime }) => ({
      type,
      status,
      reason,
      message,
      since: lastTransitionTime,
    })),
  };
}
