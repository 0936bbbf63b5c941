import { Daemon } from "../host/daemon.ts";
import type { Settings } from "../settings.ts";
import type { Step } from "../step.ts";
import { type HookParts, hookPartsIn, hooksFrom, writeHooks } from "./hooks.ts";

export const hooks: Step = {
  name: "hooks",
  run: async ({ settings }) => ({ note: await setupHooks(settings) }),
};

/** Also what `cox setup claude` does. Says where they are and where they came from. */
export async function setupHooks(
  settings: Pick<Settings, "workspace" | "role" | "hooksFolder" | "daemon">,
): Promise<string> {
  const inFolder = hookPartsIn(settings.hooksFolder, settings.role);
  const parts = (inFolder.global ?? inFolder.role) ? inFolder : await fromDaemon(settings);
  const file = writeHooks(settings.workspace, hooksFrom(parts));
  const own = parts.global === undefined && parts.role === undefined;
  return `${file}: ${own ? "the usual ones" : [parts.global && "global", parts.role && settings.role].filter(Boolean).join(" + ")}`;
}

async function fromDaemon({ daemon, role }: Pick<Settings, "daemon" | "role">): Promise<HookParts> {
  if (daemon === undefined) return { global: undefined, role: undefined };
  const at = new Daemon(daemon);
  return { global: await at.config("claude-hooks:global"), role: await at.config(`claude-hooks:${role}`) };
}
