import { messageOf } from "../../../contract/errors.ts";
import { Daemon } from "../host/daemon.ts";
import type { Settings } from "../settings.ts";
import type { Step } from "../step.ts";
import { type HookParts, hookPartsIn, hooksFrom, writeHooks } from "./hooks.ts";

export const hooks: Step = {
  name: "hooks",
  run: async ({ settings }) => ({ note: await setupHooks(settings) }),
};

interface Found extends HookParts {
  problem?: string;
}

/** Also what `cox setup claude` does. Says where they are and where they came from. */
export async function setupHooks(
  settings: Pick<Settings, "workspace" | "role" | "hooksFolder" | "daemon">,
): Promise<string> {
  const inFolder: Found = hookPartsIn(settings.hooksFolder, settings.role);
  const { problem, ...parts } = (inFolder.global ?? inFolder.role) ? inFolder : await fromDaemon(settings);
  const file = writeHooks(settings.workspace, hooksFrom(parts));
  const own = parts.global === undefined && parts.role === undefined;
  const usual =
    problem === undefined ? "the usual ones" : `the usual ones, because the daemon could not be asked: ${problem}`;
  return `${file}: ${own ? usual : [parts.global && "global", parts.role && settings.role].filter(Boolean).join(" + ")}`;
}

/** An agent without hooks would hear of no message: a daemon that is away leaves it the usual ones. */
async function fromDaemon({ daemon, role }: Pick<Settings, "daemon" | "role">): Promise<Found> {
  if (daemon === undefined) return { global: undefined, role: undefined };
  const at = new Daemon(daemon);
  try {
    return { global: await at.config("claude-hooks:global"), role: await at.config(`claude-hooks:${role}`) };
  } catch (error) {
    return { global: undefined, role: undefined, problem: messageOf(error) };
  }
}
