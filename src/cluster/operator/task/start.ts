import { messageOf } from "../../../contract/errors.ts";
import { LABELS, MANAGED_BY } from "../../../contract/resources/names.ts";
import { isFinalPhase, type Task } from "../../../contract/resources/task.ts";
import type { KubeClient } from "../../kube/client.ts";
import { hasStatus, isConflict, KubeError } from "../../kube/error.ts";
import type { ConfigMap, Job } from "../../kube/objects.ts";
import { configMaps, jobs, tasks } from "../../kube/resource.ts";
import { planMcp } from "../agent-config/mcp.ts";
import type { Cache } from "../cache.ts";
import type { OperatorOptions } from "../options.ts";
import { orNothing } from "./find-references.ts";
import { taskFiles } from "./job/files.ts";
import { buildJob, isOwnedBy, ownerOf } from "./job/job.ts";
import { filesNameOf } from "./job/names.ts";
import { type DependencyResults, dependenciesUsed, renderPrompt, withFailure } from "./job/prompt.ts";
import type { Refusal } from "./plan/view.ts";
import type { References } from "./references.ts";

/** The Job, why there is none, or that the Task is not what the cache says. */
export type Started = { job: Job } | { refusal: Refusal } | { stale: Task | undefined };

/**
 * Makes the Job of an attempt. The Task is read afresh, unless it is new and still at hand: its prompt is not in the cache, and
 * what the cache knows may be old.
 * The Job's name is the fence: it depends on the attempt alone, so two who want to start it get one Job between them.
 */
export async function startAttempt(
  client: KubeClient,
  cache: Cache,
  cached: Task,
  attempt: number,
  references: References,
  options: OperatorOptions,
): Promise<Started> {
  const { namespace = "", name, uid, resourceVersion } = cached.metadata;
  const task =
    cache.fresh.take(`${namespace}/${name}`, resourceVersion) ?? (await orNothing(client, tasks, namespace, name));
  if (task?.metadata.uid !== uid || task === undefined) return { stale: task };
  const { deletionTimestamp } = task.metadata;
  const isOld = (task.status?.attempts ?? 0) >= attempt || isFinalPhase(task.status?.phase);
  if (deletionTimestamp !== undefined || task.spec.cancel || isOld) return { stale: task };
  const prompt = await promptOf(client, task);
  if (typeof prompt !== "string") return { refusal: prompt };
  const { mcpServers } = references.config;
  const mcp = mcpServers.length === 0 ? undefined : planMcp(mcpServers, references.secrets, references.configValues);
  const files = taskFiles(prompt, references, mcp);
  if (files.tooLarge)
    return {
      refusal: denied(
        "FilesTooLarge",
        `prompt, instructions, plugins and files are ${files.bytes} bytes; a ConfigMap holds 1,000,000`,
      ),
    };
  if (Object.keys(files.data).length > 0) {
    const refusal = await writeFiles(client, task, attempt, files.data);
    if (refusal !== undefined) return { refusal };
  }
  return createJob(client, task, buildJob({ task, attempt, prompt, references, mcp, files, options }));
}

const denied = (reason: string, message: string): Refusal => ({
  condition: "JobRejected",
  reason,
  message,
  denied: true,
});

/** With the results it asks for. A prompt that can't be made is a failed Task, never half a prompt. */
async function promptOf(client: KubeClient, task: Task): Promise<string | Refusal> {
  const { prompt, dependsOn = [], retry } = task.spec;
  try {
    const results = new Map<string, DependencyResults>();
    for (const name of dependenciesUsed(prompt, dependsOn)) {
      const dependency = await orNothing(client, tasks, task.metadata.namespace ?? "", name);
      if (dependency === undefined)
        return denied("DependencyDeleted", `dependency ${name} was deleted; its results are gone with it`);
      results.set(name, { outputs: dependency.status?.outputs ?? [], results: dependency.status?.results ?? {} });
    }
    const rendered = dependsOn.length === 0 ? prompt : renderPrompt(prompt, results);
    return retry?.appendFailure ? withFailure(rendered, task.status?.lastAttempt) : rendered;
  } catch (error) {
    if (error instanceof KubeError) throw error;
    return denied("TemplateFailed", messageOf(error));
  }
}

async function writeFiles(
  client: KubeClient,
  task: Task,
  attempt: number,
  data: Record<string, string>,
): Promise<Refusal | undefined> {
  const metadata = {
    name: filesNameOf(task.metadata.name, attempt),
    namespace: task.metadata.namespace,
    labels: { [LABELS.task]: task.metadata.name, [LABELS.managedBy]: MANAGED_BY },
    ownerReferences: [ownerOf(task)],
  };
  const map: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
  try {
    await client.create(configMaps, map);
  } catch (error) {
    if (!isConflict(error)) throw error;
    const there = await client.get(configMaps, task.metadata.namespace, metadata.name);
    if (!isOwnedBy(there, task)) return conflict("ConfigMap", there, task);
    await client.apply(configMaps, map);
  }
  return undefined;
}

async function createJob(client: KubeClient, task: Task, job: Job): Promise<Started> {
  try {
    return { job: await client.create(jobs, job) };
  } catch (error) {
    if (isConflict(error)) return adopt(client, task, job.metadata.name);
    if (hasStatus(error, 422) || hasStatus(error, 400)) return { refusal: denied("JobInvalid", error.message) };
    // A quota may be raised, an admission rule changed: that is waited for, and said.
    if (hasStatus(error, 403))
      return { refusal: { condition: "JobRejected", reason: "JobForbidden", message: error.message, denied: false } };
    throw error;
  }
}

/** Ours if it belongs to this very Task; one of a Task of the same name before it goes away by itself. */
async function adopt(client: KubeClient, task: Task, name: string): Promise<Started> {
  const job = await orNothing(client, jobs, task.metadata.namespace ?? "", name);
  if (job === undefined) throw new KubeError(`Job ${name}: was there and is gone`, { status: 409, reason: "Conflict" });
  return isOwnedBy(job, task) ? { job } : { refusal: conflict("Job", job, task) };
}

function conflict(kind: string, { metadata }: { metadata: Job["metadata"] }, task: Task): Refusal {
  const owner = metadata.ownerReferences?.[0];
  const mine = owner?.kind === "Task" && owner.name === task.metadata.name;
  const whose = mine
    ? "an earlier Task of this name; it is being removed"
    : owner === undefined
      ? "nobody we know"
      : `${owner.kind} ${owner.name}`;
  return {
    condition: "NameConflict",
    reason: "NameConflict",
    message: `${kind} ${metadata.name} exists and belongs to ${whose}`,
    denied: false,
  };
}
