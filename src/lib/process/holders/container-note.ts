import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { writeFileAtomic } from "../../files/atomic-file.ts";
import { runCommand } from "../command.ts";

/** A container outlives whoever started it; so as long as there may be one, its run's directory says which. */
export interface ContainerNote {
  /** The engine's program, absolute. */
  engine: string;
  name: string;
}

const ENDING = ".container.json";
const noteIn = (runDirectory: string, name: string) => join(runDirectory, `${name}${ENDING}`);

export function noteContainer(runDirectory: string, note: ContainerNote): void {
  writeFileAtomic(noteIn(runDirectory, note.name), `${JSON.stringify(note)}\n`);
}

/** All that the run's directory tells of: beside the agent's own there may be one that looks after its commits. */
export async function removeNotedContainers(runDirectory: string, env: NodeJS.ProcessEnv): Promise<void> {
  const notes = existsSync(runDirectory) ? readdirSync(runDirectory).filter((file) => file.endsWith(ENDING)) : [];
  for (const file of notes) await removeNotedContainer(runDirectory, file.slice(0, -ENDING.length), env);
}

/**
 * Ends and removes a container that the run's directory tells of. Where the engine doesn't answer it stays: the next container
 * that is started finds it by its label.
 */
export async function removeNotedContainer(runDirectory: string, name: string, env: NodeJS.ProcessEnv): Promise<void> {
  const note = readNote(noteIn(runDirectory, name));
  if (note === undefined) return;
  try {
    if (!(await removeContainers(note.engine, [note.name], env))) return;
  } catch {
    return; // gone or hung: no reason to leave the rest of the run as it is
  }
  rmSync(noteIn(runDirectory, name), { force: true });
}

/**
 * Ends and removes those of them that are still there. What the engine answers to that proves nothing, because it may be
 * removing one by itself (`--rm`); so its list is looked at until none is in it. `false`: some won't go.
 */
export async function removeContainers(
  engine: string,
  names: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  for (let round = 1; ; round += 1) {
    const there = await listContainers(engine, [], env);
    const left = names.filter((name) => there?.includes(name) ?? true);
    if (left.length === 0) return true;
    if (round > ROUNDS) return false;
    if (round > 1) await systemClock.sleep(PAUSE_MS);
    // Killed first: `podman rm -f` would wait ten seconds for each to end by itself.
    for (const verb of [["kill"], ["rm", "-f"]]) await ask(engine, [...verb, ...left], env);
  }
}

const ROUNDS = 5;
const PAUSE_MS = 200;

/** Their names, whatever state they are in. Podman's list fails while a container in it goes: `undefined` if it does so again and again. */
export async function listContainers(
  engine: string,
  filters: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string[] | undefined> {
  for (let round = 1; round <= ROUNDS; round += 1) {
    const listed = await ask(engine, ["ps", "-a", ...filters, "--format", "{{.Names}}"], env);
    if (listed.code === 0) return listed.stdout.toString("utf8").split("\n").filter(Boolean);
    await systemClock.sleep(PAUSE_MS);
  }
  return undefined;
}

const ask = (engine: string, args: readonly string[], env: NodeJS.ProcessEnv) =>
  runCommand(engine, args, { cwd: "/", env: plain(env), timeoutMs: ANSWER_MS });

const ANSWER_MS = 30_000;

function readNote(file: string): ContainerNote | undefined {
  try {
    const { engine, name }: Partial<ContainerNote> = JSON.parse(readFileSync(file, "utf8"));
    return typeof engine === "string" && typeof name === "string" ? { engine, name } : undefined;
  } catch {
    return undefined; // removed already
  }
}

/** Without the names that have no value. */
export function plain(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
