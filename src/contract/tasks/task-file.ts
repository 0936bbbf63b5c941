import { z } from "zod";
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
  /** The folder it works in. */
  workspace: z.string(),
  /** Where its agent lives, if that isn't left to its profile: what an isolated agent leaves to do is done isolated. */
  on: z.enum(executorNames).optional(),
  network: z.enum(["on", "off"]).optional(),
  /** `task`, or `project/task` of another project. */
  depends_on: z.array(z.string()).default([]),
  /** Higher goes first. */
  priority: z.number().int().min(-100).max(100).default(0),
  policy: z
    .strictObject({
      /** A person looks at each finished turn. */
      review: z.boolean().default(false),
      on_failed_dependency: z.enum(failedDependencyPolicies).default("fail"),
    })
    .prefault({}),
  /** In seconds. */
  limits: z
    .strictObject({ timeout: z.number().positive().optional(), idle_timeout: z.number().positive().optional() })
    .prefault({}),
  created: z.string().default(""),
  by: z.string().default(""),
});
export type TaskFile = z.infer<typeof TaskFile>;
