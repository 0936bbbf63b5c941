import { randomBytes } from "node:crypto";
import { AppError } from "../../contract/errors.ts";
import { slug } from "../../contract/ids.ts";
import { bundledAgentTypes, credentialVariable } from "../../contract/resources/agent-types.ts";
import { API_VERSION } from "../../contract/resources/names.ts";
import { type Task, TaskSpec } from "../../contract/resources/task.ts";
import type { OptionSpec } from "../../lib/command/command.ts";
import { parseDuration } from "../../lib/command/duration.ts";

/** How a Task is described on the command line. */
export const taskOptions = {
  type: { short: "t", value: "TYPE", help: `the agent: ${bundledAgentTypes.join(", ")} (claude-code)` },
  model: { short: "m", value: "MODEL", help: "which model" },
  effort: { value: "WORD", help: "how hard it should think, in the agent's words" },
  image: { value: "IMAGE", help: "in place of the operator's image for the type" },
  secret: { value: "NAME", help: "Secret with the agent's key (coxswain-TYPE; none: no key)" },
  workspace: { short: "w", value: "NAME", help: "Workspace to work in" },
  branch: { value: "NAME", help: "branch to work on; Tasks on one branch take turns" },
  "agent-config": { value: "NAME", repeat: true, help: "AgentConfig with instructions, plugins, MCP (repeatable)" },
  "depends-on": { value: "TASK", repeat: true, help: "Task that must have succeeded before (repeatable)" },
  timeout: { value: "TIME", help: "how long one attempt may take (90, 90s, 30m, 2h)" },
  attempts: { value: "N", help: "how often it is started at most, where that is safe (1)" },
  ttl: { value: "TIME", help: "how long the Task is kept after its end (for ever)" },
  env: { short: "e", value: "K=V", repeat: true, help: "set a variable for the agent (repeatable)" },
  name: { value: "NAME", help: "name of the Task; default: from the prompt" },
} as const satisfies Record<string, OptionSpec>;

export type TaskValues = {
  [K in keyof typeof taskOptions]?: (typeof taskOptions)[K] extends { repeat: true } ? string[] : string;
};

export type Credentials = TaskSpec["credentials"];

/** The Task that is meant; what its schema refuses is said here, not by the cluster. */
export function taskOf(values: TaskValues, prompt: string, namespace: string, credentials: Credentials): Task {
  const { workspace, "agent-config": configs = [], "depends-on": dependsOn = [], env = [] } = values;
  const spec = {
    type: values.type ?? "claude-code",
    prompt,
    credentials,
    ...given({ model: values.model, effort: values.effort, image: values.image, branch: values.branch }),
    ...(workspace === undefined ? {} : { workspaceRef: { name: workspace } }),
    ...(configs.length === 0 ? {} : { agentConfigRefs: configs.map((name) => ({ name })) }),
    ...(dependsOn.length === 0 ? {} : { dependsOn }),
    ...given({
      timeoutSeconds: seconds("timeout", values.timeout),
      ttlSecondsAfterFinished: seconds("ttl", values.ttl),
    }),
    ...(values.attempts === undefined ? {} : { retry: { attempts: whole("attempts", values.attempts) } }),
    ...(env.length === 0 ? {} : { podOverrides: { env: env.map(variable) } }),
  };
  const parsed = TaskSpec.safeParse(spec);
  if (!parsed.success) throw invalid(parsed.error.issues);
  const name = requireName(values.name ?? nameFrom(prompt));
  // As it was given: the defaults are the cluster's to fill in.
  return { apiVersion: API_VERSION, kind: "Task", metadata: { name, namespace }, spec: spec as TaskSpec };
}

/** Which kind of key a Secret holds, by the names of its keys. */
export function credentialsIn(type: string, name: string, keys: readonly string[]): Credentials {
  const kind = (["api-key", "oauth"] as const).find((each) => keys.includes(credentialVariable(type, each) ?? ""));
  if (kind !== undefined) return { type: kind, secretRef: { name } };
  const wanted = [...new Set((["api-key", "oauth"] as const).flatMap((each) => credentialVariable(type, each) ?? []))];
  const message = `Secret ${name}: has none of the keys that ${type} needs: ${wanted.join(" or ")}`;
  throw new AppError("config.invalid", message);
}

/** `fix-the-login-test-7k2xq`: names of Jobs and pods are made of it, and two prompts that begin alike differ. */
export function nameFrom(prompt: string): string {
  const words = slug(prompt.split("\n")[0] ?? "", 30);
  return `${/^[a-z]/.test(words) ? words : `task-${words}`}-${randomWord()}`;
}

const LETTERS = "bcdfghjklmnpqrstvwxz2456789"; // no vowels, so no words
const randomWord = () => [...randomBytes(5)].map((byte) => LETTERS[byte % LETTERS.length]).join("");

export function requireName(name: string): string {
  if (/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name) && name.length <= 63) return name;
  throw new AppError("id.invalid", `name ${JSON.stringify(name)}: use 1 to 63 of a-z, 0-9 and "-", no "-" at the ends`);
}

const given = (record: Record<string, string | number | undefined>) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined && value !== ""));

const seconds = (name: string, text: string | undefined) =>
  text === undefined ? undefined : text === "0" ? 0 : Math.ceil(parseDuration(`--${name}`, text) / 1000);

function whole(name: string, text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new AppError("usage.invalid", `--${name} ${JSON.stringify(text)}: not a number`);
}

function variable(pair: string): { name: string; value: string } {
  const at = pair.indexOf("=");
  if (at > 0) return { name: pair.slice(0, at), value: pair.slice(at + 1) };
  throw new AppError("usage.invalid", `--env ${JSON.stringify(pair.slice(0, 40))}: use NAME=VALUE`);
}

export function invalid(issues: readonly { path: PropertyKey[]; message: string }[]): AppError {
  const [first] = issues;
  const where = first?.path.map(String).join(".") ?? "";
  return new AppError(
    "usage.invalid",
    `${where === "" ? "spec" : `spec.${where}`}: ${first?.message ?? "is not valid"}`,
  );
}
