import { z } from "zod";

/** What the API server keeps of every object; only what is used here. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** A rule the API server checks: CEL, with the sentence people see when it is broken. */
export interface Rule {
  rule: string;
  message: string;
}

/** Adds rules to a schema; they appear in the generated CRD. */
export const rules = (...list: Rule[]) => ({ "x-kubernetes-validations": list });

/** A list whose entries are told apart by one field: the API server refuses a second entry of the same name. */
export const listMap = (key: string) => ({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [key] });

export const LocalReference = z.object({
  name: z.string().min(1).max(253).describe("Name of an object in the same namespace."),
});

export const Condition = z
  .object({
    type: z.string().max(316).describe("What the condition is about."),
    status: z.enum(["True", "False", "Unknown"]).describe("Whether it holds."),
    reason: z.string().max(1024).describe("One word for programs."),
    message: z.string().max(32768).describe("A sentence for people."),
    lastTransitionTime: z.string().meta({ format: "date-time" }).describe("When the status last changed."),
    observedGeneration: z.number().int().optional().describe("The generation this was said of."),
  })
  .describe("One thing that is known about the object.");
export type Condition = z.infer<typeof Condition>;
