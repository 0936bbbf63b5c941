import { existsSync } from "node:fs";
import { AppError } from "../../contract/errors.ts";
import { type CommandResult, runCommand } from "../../lib/process/command.ts";
import { listContainers, plain, removeContainers } from "../../lib/process/holders/container-note.ts";
import { withOwnPath } from "../../lib/process/path/environment.ts";
import { findExecutable } from "../../lib/process/path/executable.ts";

const engineNames = ["podman", "docker"] as const;
export type EngineName = (typeof engineNames)[number];

/** A container engine, by its command line. */
export interface Engine {
  name: EngineName;
  /** Absolute. */
  file: string;
  /** That of the person, whose tool it is: where its daemon and its images are. */
  env: Readonly<Record<string, string>>;
  /** Its root is us: numbers of users are translated. */
  rootless: boolean;
  /** Has a first process for its containers, which passes signals on and buries orphans. */
  init: boolean;
}

/** The one that was asked for, else the first that is there. */
export async function findEngine(wanted: EngineName | undefined, env: NodeJS.ProcessEnv): Promise<Engine> {
  const names = wanted === undefined ? engineNames : [wanted];
  for (const name of names) {
    const file = programOf(name, env);
    if (file !== undefined) return describe(name, file, withOwnPath(plain(env)));
  }
  const message = `container: ${names.join(" and ")}: not installed; install the package podman (apt-get install podman, dnf install podman, brew install podman) or docker`;
  throw new AppError("agent.not_ready", message, { package: names[0] });
}

function programOf(name: string, { PATH }: NodeJS.ProcessEnv): string | undefined {
  try {
    return findExecutable(name, { path: PATH, cwd: "/" });
  } catch {
    return undefined; // not there: there may be another
  }
}

async function describe(name: EngineName, file: string, env: Record<string, string>): Promise<Engine> {
  if (name === "podman") return { name, file, env, rootless: process.getuid?.() !== 0, init: INITS.some(existsSync) };
  const info = await runCommand(file, ["info", "--format", "{{json .SecurityOptions}}"], { ...ANYWHERE, env });
  if (info.code === 0) return { name, file, env, rootless: info.stdout.includes("name=rootless"), init: true };
  throw new AppError(
    "agent.not_ready",
    `container: docker doesn't answer: ${said(info)}; start its daemon, or install podman`,
  );
}

const ANYWHERE = { cwd: "/", timeoutMs: 30_000 };
/** Where systems keep podman's first process (package catatonit). */
const INITS = ["/usr/libexec/podman/catatonit", "/usr/lib/podman/catatonit", "/usr/bin/catatonit"];

export const ask = (engine: Engine, args: readonly string[], timeoutMs = ANYWHERE.timeoutMs): Promise<CommandResult> =>
  runCommand(engine.file, args, { ...ANYWHERE, timeoutMs, env: engine.env });

/** The PATH inside the image, fetched first where it isn't here yet. */
export async function requireImage(engine: Engine, image: string, say: (text: string) => void): Promise<string> {
  const look = () => ask(engine, ["image", "inspect", "--format", "{{json .Config.Env}}", image]);
  let looked = await look();
  if (looked.code !== 0) {
    say(`fetching ${image} with ${engine.name}`);
    const pulled = await ask(engine, ["pull", "--quiet", image], PULL_MS);
    if (pulled.code !== 0) throw unavailable(engine, image, pulled);
    looked = await look();
    if (looked.code !== 0) throw unavailable(engine, image, looked);
  }
  const env: string[] = JSON.parse(looked.stdout.toString("utf8")) ?? [];
  return env.find((entry) => entry.startsWith("PATH="))?.slice("PATH=".length) || DEFAULT_PATH;
}

const PULL_MS = 30 * 60_000;
const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

function unavailable({ name }: Engine, image: string, result: CommandResult): AppError {
  const message = `container: image ${image}: ${name} can't get it: ${said(result)}; build or pull it, or correct its name`;
  return new AppError("agent.not_ready", message, { image });
}

const said = ({ stderr, code }: CommandResult) => stderr.trim().split("\n").at(-1) || `exit ${code}`;

/** Whose containers they are: several state folders may share one engine. */
export const HOME_LABEL = "coxswain.home";
export const RUN_LABEL = "coxswain.run";
const PREFIX = "cox-";

/** One per process: an agent that is started anew for each turn has several, one after the other. */
export const containerName = (runId: string, number: number): string =>
  `${PREFIX}${runId}${number === 1 ? "" : `.${number}`}`;

/** Removes the containers of runs that nobody owns any more, and says what it couldn't. */
export async function removeLeftovers(
  engine: Engine,
  home: string,
  liveRuns: () => ReadonlySet<string>,
  say: (text: string) => void,
): Promise<void> {
  const listed = await listContainers(engine.file, ["--filter", `label=${HOME_LABEL}=${home}`], engine.env);
  if (listed === undefined) return say(`${engine.name} can't list its containers: what earlier runs left stays there`);
  // Asked after the list: a run is claimed before its container is made, so whatever is in the list and not claimed is lost.
  const live = liveRuns();
  const names = listed.filter((name) => name.startsWith(PREFIX));
  const left = names.filter((name) => !live.has(name.slice(PREFIX.length).split(".")[0] ?? ""));
  if (left.length === 0 || (await removeContainers(engine.file, left, engine.env))) return;
  say(`${engine.name} can't remove what earlier runs left: ${left.join(" ")}; look with ${engine.name} ps -a`);
}
