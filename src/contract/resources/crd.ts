import { z } from "zod";
import { AgentConfigSpec } from "./agent-config.ts";
import { GROUP, VERSION } from "./names.ts";
import type { Rule } from "./object.ts";
import { TaskSpec, TaskStatus } from "./task.ts";
import { WorkspaceSpec } from "./workspace.ts";

interface Kind {
  kind: string;
  plural: string;
  shortNames: string[];
  description: string;
  spec: z.ZodObject;
  status?: z.ZodObject;
  /** Fields of spec that may change; undefined: all may. */
  mutable?: readonly string[];
  columns: Column[];
}

interface Column {
  name: string;
  type: "string" | "integer" | "date" | "boolean";
  jsonPath: string;
  description?: string;
  /** 1: only with `-o wide`. */
  priority?: 1;
}

const age: Column = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };
const wide = (name: string, jsonPath: string): Column => ({ name, type: "string", jsonPath, priority: 1 });

export const kinds = {
  Task: {
    kind: "Task",
    plural: "tasks",
    shortNames: ["cxt"],
    description: "One piece of work for a coding agent: a prompt, who does it, and where.",
    spec: TaskSpec,
    status: TaskStatus,
    mutable: ["cancel"],
    columns: [
      { name: "Type", type: "string", jsonPath: ".spec.type" },
      { name: "Phase", type: "string", jsonPath: ".status.phase" },
      { name: "Reason", type: "string", jsonPath: ".status.reason" },
      { name: "Branch", type: "string", jsonPath: ".spec.branch" },
      wide("Workspace", ".spec.workspaceRef.name"),
      wide("Model", ".spec.model"),
      wide("Depends On", ".spec.dependsOn"),
      { name: "Attempts", type: "integer", jsonPath: ".status.attempts", priority: 1 },
      wide("Cost", ".status.usage.costUSD"),
      wide("Message", ".status.message"),
      age,
    ],
  },
  Workspace: {
    kind: "Workspace",
    plural: "workspaces",
    shortNames: ["cxw"],
    description: "A repository, and how it is checked out before an agent works in it.",
    spec: WorkspaceSpec,
    columns: [
      { name: "Repo", type: "string", jsonPath: ".spec.repo" },
      { name: "Ref", type: "string", jsonPath: ".spec.ref" },
      age,
    ],
  },
  AgentConfig: {
    kind: "AgentConfig",
    plural: "agentconfigs",
    shortNames: ["cxc"],
    description: "Instructions, plugins and MCP servers that agents get.",
    spec: AgentConfigSpec,
    columns: [age],
  },
} as const satisfies Record<string, Kind>;
export type KindName = keyof typeof kinds;

/** Longer names would not fit into the labels of a Job's pods. */
const nameRule: Rule = {
  rule: "self.metadata.name.size() <= 63 && self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",
  message: "the name must be a DNS label of at most 63 characters: the Task's Job and pods carry it",
};

/** The definition the API server is given; it checks every object with it. */
export function crdOf(name: KindName) {
  const kind: Kind = kinds[name];
  const properties: Record<string, unknown> = {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { type: "object" },
    spec: specSchema(kind),
  };
  if (kind.status) properties.status = schemaOf(kind.status);
  const schema = {
    type: "object",
    description: kind.description,
    required: ["spec"],
    properties,
    ...(name === "Task" ? { "x-kubernetes-validations": [nameRule] } : {}),
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${kind.plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: "Namespaced",
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.kind.toLowerCase(),
        shortNames: kind.shortNames,
        categories: ["coxswain"],
      },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          ...(kind.status ? { subresources: { status: {} } } : {}),
          additionalPrinterColumns: kind.columns,
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  };
}

export const allCrds = () => (Object.keys(kinds) as KindName[]).map(crdOf);

type Schema = Record<string, unknown>;

/** zod's schema in the form the API server takes: structural, and without what it doesn't know. */
function schemaOf(type: z.ZodType): Schema {
  const json = z.toJSONSchema(type, { target: "openapi-3.0", io: "input", unrepresentable: "any" });
  return structural(json);
}

function structural(schema: Schema): Schema {
  const { $schema: _, additionalProperties, ...rest } = schema;
  const out: Schema = { ...rest };
  // A quantity is written as a union; the API server knows it by this mark, and allows no union beside it.
  if (out["x-kubernetes-int-or-string"] === true) delete out.anyOf;
  // Records name their keys' schema; the API server has no word for it.
  delete out.propertyNames;
  if (typeof out.properties === "object" && out.properties !== null) {
    out.properties = Object.fromEntries(Object.entries(out.properties).map(([key, value]) => [key, structural(value)]));
  }
  if (typeof out.items === "object" && out.items !== null) out.items = structural(out.items as Schema);
  if (out["x-kubernetes-preserve-unknown-fields"] === true) return out;
  if (typeof additionalProperties === "object" && additionalProperties !== null) {
    out.additionalProperties = structural(additionalProperties as Schema);
  }
  return out;
}

function specSchema(kind: Kind): Schema {
  const schema = schemaOf(kind.spec);
  return kind.mutable === undefined ? schema : frozen(schema, kind.mutable);
}

/** Each field keeps its value, and whether it is there: with a rule on the field itself the error names it. */
function frozen(schema: Schema, mutable: readonly string[]): Schema {
  const properties = Object.entries(schema.properties as Record<string, Schema>);
  const required = (schema.required ?? []) as string[];
  const fixed = properties.map(([name, property]): [string, Schema] => {
    if (mutable.includes(name)) return [name, property];
    const rule: Rule = { rule: "self == oldSelf", message: `${name} can't be changed; create another Task` };
    return [name, { ...property, "x-kubernetes-validations": [...rulesOf(property), rule] }];
  });
  const optional = properties
    .map(([name]) => name)
    .filter((name) => !mutable.includes(name) && !required.includes(name));
  const presence: Rule = {
    rule: optional.map((name) => `has(self.${name}) == has(oldSelf.${name})`).join(" && "),
    message: "nothing but cancel can be added or removed; create another Task",
  };
  return {
    ...schema,
    properties: Object.fromEntries(fixed),
    "x-kubernetes-validations": [...rulesOf(schema), presence],
  };
}

const rulesOf = (schema: Schema): Rule[] => (schema["x-kubernetes-validations"] ?? []) as Rule[];
