import { runName } from "../../../contract/ids.ts";
import { homeAt, homePath } from "../../../core/store/home.ts";
import type { TaskRef } from "../../../core/store/task-file.ts";
import type { Context } from "../../../lib/command/command.ts";
import { oneLine } from "../../../lib/text/printable.ts";
import type { Kind } from "./kinds.ts";

/** What is offered, and what it is, for shells that show that too. */
export interface Value {
  name: string;
  about: string;
}

/** More than one page of them helps nobody. */
const MOST = 100;

/** `line`: the words typed so far. Only what is wanted is loaded: somebody waits with a finger on the key. */
export async function valuesOf(kind: Kind, line: readonly string[], context: Context): Promise<Value[]> {
  const found = await look[kind](line, context);
  // A shell takes what is offered as it stands: nothing that means something to it is.
  return found.filter(({ name }) => /^[\w@%+=:,./-]+$/.test(name)).slice(0, MOST);
}

const look: Record<Kind, (line: readonly string[], context: Context) => Promise<Value[]> | Value[]> = {
  async agents(_, { env }) {
    const { loadRegistry } = await import("../../../core/agents/registry/registry.ts");
    return (await loadRegistry(homePath(env))).enabled.map(({ id, name }) => ({ name: id, about: name }));
  },

  async profiles(_, { env }) {
    const { profileNames } = await import("../../../core/agents/profiles/profile-files.ts");
    return profileNames(homePath(env)).map((name) => ({ name, about: "" }));
  },

  /** Of the agent that is named, else of all. Those that only the agent itself knows would take too long. */
  async models(line, { env }) {
    const { loadRegistry } = await import("../../../core/agents/registry/registry.ts");
    const agent = optionIn(line, "agent", "a")?.toLowerCase();
    return (await loadRegistry(homePath(env))).enabled
      .filter(({ id }) => agent === undefined || id === agent)
      .flatMap(({ id, model_config }) =>
        model_config.available_models.map((model) => ({ name: model.id, about: `${id} ${model.name ?? ""}`.trim() })),
      );
  },

  async runs(_, { env }) {
    const { runsBackward } = await import("../../../core/store/ledger/ledger.ts");
    const found: Value[] = [];
    for (const run of runsBackward(homeAt(homePath(env)))) {
      if (found.length === 0) found.push({ name: "latest", about: `${run.agent}: ${run.title}` });
      if (found.push({ name: runName(run), about: `${run.agent}: ${run.title}` }) >= MOST) break;
    }
    return found;
  },

  async requests(_, { env }) {
    const home = homeAt(homePath(env));
    const [{ allOpenRequests }, { nameOfRun }, { titleOf }] = await Promise.all([
      import("../../../core/runs/open-requests.ts"),
      import("../../../core/store/runs/find-run.ts"),
      import("../view/lines/request-lines.ts"),
    ]);
    return allOpenRequests(home).map(({ runId, request }) => ({
      name: `${nameOfRun(home, runId)}.${request.pendingId}`,
      about: titleOf(request),
    }));
  },

  async tasks(_, { env }) {
    const { listTasks } = await import("../../../core/store/find-task.ts");
    const all = listTasks(homeAt(homePath(env))).toReversed();
    return all.map((ref) => ({ name: shortName(ref, all), about: ref.project }));
  },

  async reviews(_, { env }) {
    const home = homeAt(homePath(env));
    const [{ TasksInReview }, { listTasks }] = await Promise.all([
      import("../../../core/runs/in-review.ts"),
      import("../../../core/store/find-task.ts"),
    ]);
    const all = listTasks(home);
    return (await new TasksInReview(home).all()).map((task) => ({ name: shortName(task, all), about: task.title }));
  },

  async branches(line, { cwd }) {
    const [{ resolve }, { plumbing }] = await Promise.all([
      import("node:path"),
      import("../../../core/workspaces/git/git.ts"),
    ]);
    const folder = resolve(cwd, optionIn(line, "cwd", "C") ?? "");
    const refs = ["for-each-ref", "--format=%(refname:short)", "--sort=-committerdate", "refs/heads"];
    const { stdout } = await plumbing(folder, refs);
    return stdout
      .toString("utf8")
      .split("\n")
      .filter(Boolean)
      .map((name) => ({ name, about: "" }));
  },
};

/** The bare name, where that is enough. Names that we gave sort by time. */
function shortName({ project, task }: TaskRef, all: readonly TaskRef[]): string {
  return all.filter((other) => other.task === task).length === 1 ? task : `${project}/${task}`;
}

/** `--agent claude`, `--agent=claude`, `-a claude`; a shell may hand over the sign as a word of its own. */
function optionIn(line: readonly string[], name: string, short: string): string | undefined {
  const words = line
    .filter((word) => word !== "=")
    .flatMap((word) => /^(--[a-z-]+)=(.*)$/.exec(word)?.slice(1) ?? [word]);
  const at = words.findIndex((word) => word === `--${name}` || word === `-${short}`);
  return at === -1 ? undefined : words[at + 1] || undefined;
}

export const asLine = ({ name, about }: Value): string => `${name}\t${oneLine(about).slice(0, 60)}\n`;
