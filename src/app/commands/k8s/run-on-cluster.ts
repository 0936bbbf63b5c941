import { hasStatus, isNotFound } from "../../../cluster/kube/error.ts";
import { secrets, tasks, workspaces } from "../../../cluster/kube/resource.ts";
import { type Cluster, found, withCluster } from "../../../cluster/tasks/cluster.ts";
import { findCredentials } from "../../../cluster/tasks/credentials.ts";
import { localRepository, workspaceFor } from "../../../cluster/tasks/local-repository.ts";
import { printJson } from "../../../cluster/tasks/print.ts";
import { type ProfileObjects, profileObjects } from "../../../cluster/tasks/profile-objects.ts";
import { nameFrom, taskOf } from "../../../cluster/tasks/task-spec.ts";
import { AppError } from "../../../contract/errors.ts";
import type { EnvVar } from "../../../contract/resources/pod-overrides.ts";
import type { Task } from "../../../contract/resources/task.ts";
import type { DecidedRequest } from "../../../contract/runs/request.ts";
import { wordsOf } from "../../../contract/words/content.ts";
import { connect } from "../../../core/agents/launch/vendor.ts";
import { type OpenedProfile, openProfile } from "../../../core/agents/profiles/secrets.ts";
import type { Registry } from "../../../core/agents/registry/registry.ts";
import { decideRequest } from "../../../core/launch/decide-request.ts";
import { requireProfile } from "../../../core/launch/plan-run.ts";
import { Settings } from "../../../core/launch/settings.ts";
import { homePath } from "../../../core/store/home.ts";
import { requestOf, runOptions } from "../../../faces/cli/run-options.ts";
import type { CommandInput, Context } from "../../../lib/command/command.ts";
import { showTask } from "./show-task.ts";

type Values = CommandInput<typeof runOptions>["values"];

/** By the names that agents have on a person's machine. */
const types: Readonly<Record<string, string>> = {
  claude: "claude-code",
  "claude-acp": "claude-code",
  codex: "codex",
  "codex-acp": "codex",
  gemini: "gemini",
  opencode: "opencode",
};

/** A pod can't do these; whoever asks for one must not believe that it holds. */
const refused = [
  "interactive",
  "resume",
  "fallback",
  "idle-timeout",
  "max-cost",
  "max-tokens",
  "max-turns",
  "network",
  "base",
  "clean-env",
  "review",
  "no-review",
];

/** The Secret for repositories, where there is one. */
const GIT_SECRET = "coxswain-git";

/** What `cox run` would do here, done by a pod: the same agent, model and prompt, on the same commit. */
export async function runOnCluster(values: Values, words: readonly string[], context: Context): Promise<number> {
  const given: Readonly<Record<string, unknown>> = values;
  const stray = refused.find((name) => given[name] !== undefined);
  if (stray !== undefined)
    throw new AppError("usage.invalid", `cox run --on kubernetes: --${stray} can't be had in a pod`);
  const settings = new Settings(homePath(context.env));
  const asked = await requestOf({ ...values, on: undefined }, words, context);
  const { request, notices } = await decideRequest(asked, context, settings);
  if (request.limits.permissions === "deny") {
    throw new AppError(
      "usage.invalid",
      "cox run --on kubernetes: in a pod the agent may do what the pod may; nothing is asked, so nothing can be denied",
    );
  }
  const type = typeOf(request.who.agent);
  const { profile: name } = request.who;
  const profile = name === "" ? undefined : openProfile(name, await requireProfile(settings, request.who), context.env);
  return withCluster({}, context, async (cluster) => {
    const own = profile && profileObjects(name, profile, type, cluster.namespace);
    for (const { resource, object } of own?.creations ?? []) {
      await cluster.client.apply(resource, object, { fieldManager: "cox-cli" });
    }
    const workspace = await ensureWorkspace(cluster, request.where, context);
    const task = await describe(cluster, { values, settings, request, type, own, profile, workspace });
    const created = await found("Task", cluster, () => cluster.client.create(tasks, task));
    for (const notice of notices) context.stderr.write(`${notice}\n`);
    if (!values.detach) return showTask(cluster, created, values, context);
    if (values.json) printJson([created], context);
    else context.stdout.write(`${created.metadata.name}\n`);
    return 0;
  });
}

function typeOf(agent: string): string {
  const type = Object.hasOwn(types, agent) ? types[agent] : undefined;
  if (type !== undefined) return type;
  const known = Object.keys(types).join(", ");
  throw new AppError("usage.invalid", `agent ${agent}: there is no image of it for pods; there are some for ${known}`);
}

interface Wanted {
  values: Values;
  settings: Settings;
  request: DecidedRequest;
  type: string;
  own: ProfileObjects | undefined;
  profile: OpenedProfile | undefined;
  workspace: string | undefined;
}

async function describe(
  cluster: Cluster,
  { values, settings, request, type, own, profile, workspace }: Wanted,
): Promise<Task> {
  const { who, where, limits } = request;
  const prompt = wordsOf(request.what.prompt);
  const credentials = own?.credentials ?? (await findCredentials(cluster, type, undefined));
  const { env: connection, model } = connectionOf(await settings.registry(), who, type, profile);
  const task = taskOf(
    {
      type,
      workspace,
      name: nameFrom(values.task ?? prompt),
      model,
      branch: values.worktree && workspace !== undefined ? `cox/${where.task}` : undefined,
      agentConfigs: own?.agentConfig === undefined ? undefined : [own.agentConfig],
      timeoutMs: limits.timeoutMs,
    },
    prompt,
    cluster.namespace,
    credentials,
  );
  const plain = { ...connection, ...where.env };
  const env: EnvVar[] = [...(own?.env ?? []), ...Object.entries(plain).map(([name, value]) => ({ name, value }))];
  return env.length === 0 ? task : { ...task, spec: { ...task.spec, podOverrides: { env } } };
}

/** A profile's own address for the model, in the agent's way. */
function connectionOf(
  registry: Registry,
  { agent, model }: DecidedRequest["who"],
  type: string,
  profile: OpenedProfile | undefined,
) {
  const baseUrl = profile?.wishes.baseUrl;
  if (baseUrl === undefined) return { env: {}, model };
  if (type === "codex") return { env: { OPENAI_BASE_URL: baseUrl }, model };
  const definition = registry.get(agent);
  return connect({ definition, model, baseUrl, token: undefined, has: () => true, loggedIn: true });
}

/** Made once for a repository and a place in it; what is only on this machine stays behind, and that is said. */
async function ensureWorkspace(
  cluster: Cluster,
  { workspace }: DecidedRequest["where"],
  { stderr }: Context,
): Promise<string | undefined> {
  const local = await localRepository(workspace);
  if (local === undefined) {
    stderr.write(`cox: ${workspace} is not in a git repository: the agent begins in an empty folder\n`);
    return undefined;
  }
  if (local.hasChanges) stderr.write("cox: changes that are not committed stay here: the agent doesn't see them\n");
  const secret = (await hasSecret(cluster, GIT_SECRET)) ? GIT_SECRET : undefined;
  const object = workspaceFor(local, cluster.namespace, secret);
  try {
    await cluster.client.create(workspaces, object);
  } catch (error) {
    if (!hasStatus(error, 409)) throw error; // it is there, and it is this one: its name says so
  }
  return object.metadata.name;
}

async function hasSecret({ client, namespace }: Cluster, name: string): Promise<boolean> {
  try {
    await client.get(secrets, namespace, name);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
