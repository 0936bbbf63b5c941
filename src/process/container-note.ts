import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "../base/atomic-file.ts";
import { runCommand } from "./command.ts";

/** A container outlives whoever started it; so as long as there may be one, its run's directory says which. */
export interface ContainerNote {
  /** The engine's program, absolute. */
  engine: string;
  name: string;
}

const noteIn = (runDirectory: string) => join(runDirectory, "container.json");

export function noteContainer(runDirectory: string, note: ContainerNote): void {
  writeFileAtomic(noteIn(runDirectory), `${JSON.stringify(note)}\n`);
}

/**
 * Ends and removes the container that the run's directory tells of, if it tells of one. Where the engine doesn't answer it
 * stays: the next container that is started finds it by its label.
 */
export async function removeNotedContainer(runDirectory: string, env: NodeJS.ProcessEnv): Promise<void> {
  const note = readNote(noteIn(runDirectory));
  if (note === undefined) return;
  try {
    await removeContainers(note.engine, [note.name], env);
  } catch {
    return; // gone or hung: no reason to leave the rest of the run as it is
  }
  rmSync(noteIn(runDirectory), { force: true });
}

/** Killed first: `podman rm -f` would wait ten seconds for each to end by itself. What isn't there is no failure. */
export async function removeContainers(
  engine: string,
  names: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  for (const verb of [["kill"], ["rm", "-f"]]) {
    await runCommand(engine, [...verb, ...names], { cwd: "/", env: plain(env), timeoutMs: REMOVE_MS });
  }
}

const REMOVE_MS = 30_000;

function readNote(file: string): ContainerNote | undefined {
  try {
    const { engine, name }: Partial<ContainerNote> = JSON.parse(readFileSync(file, "utf8"));
    return typeof engine === "string" && typeof name === "string" ? { engine, name } : undefined;
  } catch {
    return undefined; // none, as with nearly every run
  }
}

/** Without the names that have no value. */
export function plain(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
