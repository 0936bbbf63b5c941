import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Json, mergeDeep, readObject, writeObject } from "./json-file.ts";

/** The parts that make up the hooks: for every agent, and for this role. */
export interface HookParts {
  global: Json | undefined;
  role: Json | undefined;
}

/** Both parts together, else the hooks that ship with us. */
export function hooksFrom({ global, role }: HookParts): Json {
  if (global === undefined && role === undefined) return defaultHooks();
  return mergeDeep(global ?? {}, role ?? {});
}

export function defaultHooks(): Json {
  const run = (...verbs: string[]) => [
    { matcher: "", hooks: verbs.map((verb) => ({ type: "command", command: `cox hook ${verb}` })) },
  ];
  return {
    hooks: {
      SessionStart: run("prime", "check-mail"),
      PreCompact: run("prime"),
      UserPromptSubmit: run("check-mail", "drain-queue"),
      Stop: run("stop-gate"),
    },
  };
}

/** From a folder with global.json and ROLE.json, as a ConfigMap is mounted. */
export function hookPartsIn(folder: string, role: string): HookParts {
  const part = (name: string) => {
    const found = /^[\w.-]+$/.test(name) ? readObject(join(folder, `${name}.json`)) : {};
    return Object.keys(found).length === 0 ? undefined : found;
  };
  return { global: part("global"), role: part(role) };
}

/** In the workspace's own settings; whatever else is there stays. */
export function writeHooks(workspace: string, hooks: Json): string {
  const folder = join(workspace, ".claude");
  const file = join(folder, "settings.json");
  mkdirSync(folder, { recursive: true });
  writeObject(file, mergeDeep(readObject(file), hooks));
  return file;
}
