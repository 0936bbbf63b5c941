import { existsSync } from "node:fs";
import { prependPath } from "../../../lib/process/path/environment.ts";
import { findExecutable } from "../../../lib/process/path/executable.ts";
import type { Step } from "../step.ts";

/** The terminal host keeps its sessions on the volume. */
export const stateHome: Step = {
  name: "XDG_STATE_HOME",
  run: ({ settings }) => ({ env: { XDG_STATE_HOME: settings.state, HOME: settings.home } }),
};

/** Tools that images keep outside the usual folders. */
export const toolPath: Step = {
  name: "PATH",
  run({ settings: { goFolder }, env }) {
    return existsSync(goFolder) ? { env: { PATH: prependPath(env.PATH, goFolder) }, note: goFolder } : {};
  },
};

/** Said now, not after ten restarts, and before anything is written for an agent that isn't there. */
export const command: Step = {
  name: "command",
  required: true,
  run: ({ settings, env }) => ({
    note: findExecutable(settings.command[0], { path: env.PATH, cwd: settings.workspace }),
  }),
};
