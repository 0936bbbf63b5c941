import { z } from "zod";
import { taskPhases } from "../resources/phases.ts";
import { routes } from "./route.ts";
import { paging, Time } from "./values.ts";

const KubeName = z.string().regex(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/);
const oneTask = z.object({ namespace: KubeName, name: KubeName });

/** A Task in Kubernetes, as lists show it. */
export const ClusterTask = z.object({
  namespace: z.string(),
  name: z.string(),
  type: z.string(),
  model: z.string().optional(),
  phase: z.enum([...taskPhases, ""]),
  reason: z.string(),
  message: z.string(),
  branch: z.string().optional(),
  workspace: z.string().optional(),
  depends_on: z.array(z.string()),
  attempts: z.number().int(),
  created: Time,
  started: Time.optional(),
  ended: Time.optional(),
  job: z.string().optional(),
  pod: z.string().optional(),
  cost_usd: z.number().optional(),
  tokens: z.number().optional(),
});
export type ClusterTask = z.infer<typeof ClusterTask>;

export const ClusterTaskDetail = ClusterTask.extend({
  prompt: z.string(),
  results: z.record(z.string(), z.string()),
  outputs: z.array(z.string()),
  conditions: z.array(
    z.object({ type: z.string(), status: z.string(), reason: z.string(), message: z.string(), since: z.string() }),
  ),
});
export type ClusterTaskDetail = z.infer<typeof ClusterTaskDetail>;

export const clusterRoutes = routes({
  "GET /cluster": {
    tag: "cluster",
    summary: "Whether a cluster can be reached, and which.",
    access: "read",
    result: z.object({
      available: z.boolean(),
      context: z.string(),
      namespace: z.string(),
      why: z.string().optional(),
    }),
  },
  "GET /cluster/tasks": {
    tag: "cluster",
    summary: "Tasks in the cluster, newest first.",
    access: "read",
    query: z.object({ ...paging, phase: z.enum(taskPhases).optional() }),
    result: z.object({ items: z.array(ClusterTask), next: z.string().optional() }),
  },
  "GET /cluster/tasks/{namespace}/{name}": {
    tag: "cluster",
    summary: "One of them.",
    access: "read",
    params: oneTask,
    result: ClusterTaskDetail,
  },
  "POST /cluster/tasks/{namespace}/{name}/cancel": {
    tag: "cluster",
    summary: "Cancel it: its agent gets its grace, and what it had is kept.",
    access: "all",
    params: oneTask,
    result: "nothing",
  },
  "GET /cluster/tasks/{namespace}/{name}/stream": {
    tag: "cluster",
    summary: "What its agent says and does, as events.",
    access: "read",
    params: oneTask,
    result: "events",
  },
});
