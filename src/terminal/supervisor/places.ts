import { join } from "node:path";
import type { Settings } from "./settings.ts";

/** Where Claude's files are. One answer for everybody who reads or writes them. */
export interface Places {
  /** Its folder as we use it: settings, credentials, logs of conversations. */
  claude: string;
  /** `~/.claude` must point there. `undefined` when it is a volume of its own, or Claude was told another folder. */
  link: string | undefined;
  /** Its main file, which lies beside the folder, or inside one that was named. */
  claudeJson: string;
  credentials: string;
  conversations: string;
  /** Of the terminal host. */
  terminal: string;
}

/** Pure. A volume mounted at `~/.claude` is used as it is, for all purposes. */
export function placesOf(
  { home, state }: Pick<Settings, "home" | "state">,
  configured: string | undefined,
  mounts: ReadonlySet<string>,
): Places {
  const inHome = join(home, ".claude");
  const claude = configured || (mounts.has(inHome) ? inHome : join(state, "claude"));
  return {
    claude,
    link: configured || claude === inHome ? undefined : inHome,
    claudeJson: configured ? join(configured, ".claude.json") : join(home, ".claude.json"),
    credentials: join(claude, ".credentials.json"),
    conversations: join(claude, "projects"),
    terminal: join(state, "coop"),
  };
}
