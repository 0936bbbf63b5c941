import { randomBytes } from "node:crypto";
import { AppError } from "../../contract/errors.ts";
import { slug } from "../../contract/ids.ts";
import { credentialVariable } from "../../contract/resources/agent-types.ts";
import { API_VERSION } from "../../contract/resources/names.ts";
import { type Task, TaskSpec } from "../../contract/resources/task.ts";

export type Credentials = TaskSpec["credentials"];

/** What is wanted of a Task, beside its prompt. */
export interface TaskWishes {
  /** By default `claude-code`. */
  type?: string;
  model?: string;
  effort?: string;
  image?: string;
  workspace?: string;
  branch?: string;
  agentConfigs?: readonly string[];
  dependsOn?: readonly string[];
  /** Of one attempt. */
  timeoutMs?: number;
  /** How long it is kept after its end. */
  ttlMs?: number;
  attempts?: number;
  env?: readonly { name: string; value: string }[];
  /** By default one made of the prompt. */
  name?: string;
}

/** The Task that is meant; what its schema refuses is said here, not by the cluster. */
export function taskOf(wishes: TaskWishes, prompt: string, namespace: string, credentials: Credentials): Task {
  const { workspace, agentConfigs = [], dependsOn = [], attempts, env = [] } = wishes;
  const spec = {
    type: wishes.type ?? "claude-code",
    prompt,
    credentials,
    ...given({ model: wishes.model, effort: wishes.effort, image: wishes.image, branch: wishes.branch }),
    ...(workspace === undefined ? {} : { workspaceRef: { name: workspace } }),
    ...(agentConfigs.length === 0 ? {} : { agentConfigRefs: agentConfigs.map((name) => ({ name })) }),
    ...(dependsOn.length === 0 ? {} : { dependsOn: [...dependsOn] }),
    ...given({
      timeoutSeconds: seconds(wishes.timeoutMs),
      ttlSecondsAfterFinished: seconds(wishes.ttlMs),
    }),
    ...(attempts === undefined ? {} : { retry: { attempts } }),
    ...(env.length === 0 ? {} : { podOverrides: { env: [...env] } }),
  };
  const parsed = TaskSpec.safeParse(spec);
  if (!parsed.success) throw invalid(parsed.error.issues);
  const name = requireName(wishes.name ?? nameFrom(prompt));
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

const seconds = (ms: number | undefined) => (ms === undefined ? undefined : Math.ceil(ms / 1000));

export function invalid(issues: readonly { path: PropertyKey[]; message: string }[]): AppError {
  const [first] = issues;
  const where = first?.path.map(String).join(".") ?? "";
  return new AppError(
    "usage.invalid",
    `${where === "" ? "spec" : `spec.${where}`}: ${first?.message ?? "is not valid"}`,
  );
}
