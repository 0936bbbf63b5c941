import { join } from "node:path";
import { findExecutable } from "../../../lib/process/path/executable.ts";
import type { Step } from "../step.ts";
import { type Json, mergeDeep, readObject, writeObject } from "./json-file.ts";

/** What Claude may do without asking, and the language servers that are there. Other settings are left as they are. */
export const claudeSettings: Step = {
  name: "settings.json",
  run({ places, env }) {
    const file = join(places.claude, "settings.json");
    const found = Object.keys(LANGUAGE_SERVERS).filter((program) => isInstalled(program, env.PATH));
    writeObject(file, mergeDeep(readObject(file), settingsFor(found)));
    return { note: found.length === 0 ? "no language server" : found.join(", ") };
  },
};

const LANGUAGE_SERVERS: Readonly<Record<string, string>> = {
  gopls: "gopls-lsp@claude-plugins-official",
  "rust-analyzer": "rust-analyzer-lsp@claude-plugins-official",
};

/** The names alone: some versions take `Read(*)` for the working folder only, and say so on the screen at each start. */
const ALLOWED = ["Bash", "Read", "Write", "Edit", "Glob", "Grep", "WebFetch", "WebSearch"];

export function settingsFor(languageServers: readonly string[]): Json {
  const plugins = languageServers.map((program) => [LANGUAGE_SERVERS[program] ?? program, true]);
  return {
    permissions: { allow: ALLOWED, deny: [] },
    // The question itself can't be answered by nobody; the mode is chosen by the command, not here.
    skipDangerousModePermissionPrompt: true,
    ...(plugins.length === 0 ? {} : { enabledPlugins: Object.fromEntries(plugins) }),
  };
}

function isInstalled(program: string, path: string | undefined): boolean {
  try {
    findExecutable(program, { path, cwd: "/" });
    return true;
  } catch {
    return false;
  }
}
