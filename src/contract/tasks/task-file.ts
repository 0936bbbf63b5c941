import { z } from "zod";
import { permissionModes } from "../requests/policy.ts";
import { executorNames } from "../runs/run.ts";

/** What happens to a task when one it depends on failed, was cancelled or is gone. */
export const failedDependencyPolicies = ["fail", "skip", "wait"] as const;

/** `task.yaml`: what a task is. Written once; where it stands is on its bus. */
export const TaskFile = z.strictObject({
  version: z.literal(1).default(1),
  title: z.string().max(200),
  prompt: z.string(),
  /** One of the two, or neither: then whoever starts it chooses. */
  agent: z.string().optional(),
  profile: z.string().optional(),
  model: z.string().optional(),
  /** Who takes over, in this order, when it can't work. */
  fallback: z.array(z.string()).optional(),
  /** The folder it works in. */
  workspace: z.string(),
  /** Where its agent lives, if that isn't left to its profile: what an isolated agent leaves to do is done isolated. */
  on: z.enum(executorNames).optional(),
  network: z.enum(["on", "off"]).optional(),
  /** It has a checkout and a branch of its own, made of the repository that the folder is in. */
  worktree: z.strictObject({ base: z.string().optional() }).optional(),
  clean_env: z.boolean().optional(),
  permissions: z.enum(permissionModes).optional(),
  /** `false`: without the run's own tools; without being told about its run. */
  tools: z.boolean().optional(),
  preamble: z.boolean().optional(),
  /** `task`, or `project/task` of another project. */
  depends_on: z.array(z.string()).default([]),
  /** Higher goes first. */
  priority: z.number().int().min(-100).max(100).default(0),
  policy: z
    .strictObject({
      /** A person looks at each finished turn. Not said: at what was changed in a worktree, and at nothing elsewhere. */
      review: z.boolean().optional(),
      on_failed_dependency: z.enum(failedDependencyPolicies).default("fail"),
      /** The queue may start it while another task is worked on in the same checkout. */
      same_checkout: z.boolean().optional(),
    })
    .prefault({}),
  /** Of each of its runs; times in seconds. */
  limits: z
    .strictObject({
      timeout: z.number().positive().optional(),
      idle_timeout: z.number().positive().optional(),
      max_cost_usd: z.number().positive().optional(),
      max_tokens: z.number().int().positive().optional(),
      max_turns: z.number().int().positive().optional(),
    })
    .prefault({}),
  created: z.string().default(""),
  by: z.string().default(""),
});
export type TaskFile = z.infer<typeof TaskFile>;
