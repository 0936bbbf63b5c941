import { dirname } from "node:path";
import { keptExit } from "../../lib/process/exit.ts";
import { noteContainer, removeNotedContainer } from "../../lib/process/holders/container-note.ts";
import { prependPath } from "../../lib/process/path/environment.ts";
import { ask, containerName, type Engine, HOME_LABEL, RUN_LABEL } from "./engine.ts";
import { type Executor, inside } from "./executor.ts";
import { type Isolation, isolatedMounts } from "./isolation.ts";
import { type LocalExit, type LocalProcess, type LocalSpec, startLocal } from "./local.ts";
import { type Mount, seenThrough } from "./mount.ts";

export interface ContainerOptions extends Isolation {
  engine: Engine;
  image: string;
  /** Instead of the image's own. */
  entrypoint: readonly string[];
  /** Inside the image. */
  path: string;
  memoryMb: number;
  cpuCores: number;
  /** Marks the containers of this state folder. */
  label: string;
  /** Our package on this machine. */
  package: string;
}

/** Where things are in every container. */
export const containerPlaces = { home: "/home/coxswain", package: "/opt/coxswain" } as const;

/** Docker or podman: the image's programs, the workspace under its own name, and limits that the engine holds. */
export function containerExecutor(options: ContainerOptions): Executor {
  let number = 0;
  return {
    name: "container",
    inside,
    hasOurPrograms: false,
    network: options.network,
    inherits: (name) => !OURS.has(name) && !name.startsWith("XDG_") && !name.startsWith("SSL_CERT_"),
    start(spec) {
      number += 1;
      return start(options, spec, containerName(spec.marker.value, number));
    },
  };
}

/** Of this machine and this account; the image has its own. */
const OURS = new Set(["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "SSH_AUTH_SOCK", "NODE_EXTRA_CA_CERTS"]);

async function start(options: ContainerOptions, spec: LocalSpec, name: string): Promise<LocalProcess> {
  const { engine } = options;
  const runDirectory = dirname(spec.stdoutPath);
  const socket = spec.env.COX_SOCKET;
  const env = {
    ...spec.env,
    HOME: options.home,
    PATH: prependPath(options.path, `${containerPlaces.package}/bin`),
    [spec.marker.name]: spec.marker.value,
    ...(socket === undefined ? {} : { COX_SOCKET: inside.socket }),
  };
  const ours: Mount = { source: options.package, target: containerPlaces.package, write: false };
  const mounts = [ours, ...(await isolatedMounts(options, spec))];
  noteContainer(runDirectory, { engine: engine.file, name });
  const process = await startLocal({
    ...spec,
    file: engine.file,
    args: containerArguments(options, {
      name,
      run: spec.marker.value,
      cwd: spec.cwd,
      mounts,
      emptied: options.secret.flatMap((path) => mounts.flatMap((mount) => seenThrough(mount, path) ?? [])),
      env,
      entrypoint: spec.aside ? [spec.file] : options.entrypoint,
      command: spec.aside ? spec.args : commandOf(spec),
    }),
    env: { ...engine.env, ...byName(env) },
    pipeOutput: false, // inside, stdout is the engine's pipe in any case
    keeper: true,
  });
  return owned(process, engine, name, runDirectory);
}

/** An image without a command starts by itself; then there is no program to name. */
const commandOf = ({ file, args }: LocalSpec) => (file === "" ? args : [file, ...args]);

/** The engine's program only shows the container: ending it ends nothing. */
function owned(process: LocalProcess, engine: Engine, name: string, runDirectory: string): LocalProcess {
  let running = true;
  const exited = process.exited.then((exit) => {
    running = false;
    return keptExit(exit);
  });
  let stopping: Promise<LocalExit> | undefined;
  const stop = async (graceMs: number) => {
    if (running)
      await ask(engine, ["stop", "-t", String(Math.ceil(graceMs / 1000)), name], graceMs + STOP_MS).catch(() => {});
    await process.stop(0);
    await removeNotedContainer(runDirectory, name, engine.env);
    return exited;
  };
  return {
    ...process,
    exited,
    stop(graceMs) {
      if (stopping !== undefined && running && graceMs <= IMPATIENT_MS)
        void ask(engine, ["kill", name]).catch(() => {});
      stopping ??= stop(graceMs);
      return stopping;
    },
  };
}

const STOP_MS = 20_000;
const IMPATIENT_MS = 1000;

interface ContainerCommand {
  name: string;
  run: string;
  cwd: string;
  mounts: readonly Mount[];
  /** Places in them where nothing is to be seen. */
  emptied: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Instead of the image's own. */
  entrypoint: readonly string[];
  command: readonly string[];
}

export function containerArguments(
  { engine, image, memoryMb, cpuCores, network, label }: ContainerOptions,
  { name, run, cwd, mounts, emptied, env, entrypoint, command }: ContainerCommand,
): string[] {
  const [program, ...before] = entrypoint;
  return [
    ...["run", "--rm", "-i", "--name", name],
    ...["--label", `${RUN_LABEL}=${run}`, "--label", `${HOME_LABEL}=${label}`],
    ...(engine.init ? ["--init"] : []),
    ...userArguments(engine),
    ...["--memory", `${memoryMb}m`, "--cpus", String(cpuCores)],
    ...(network ? [] : ["--network", "none"]),
    // Labels of SELinux would have to be changed on the person's own files.
    ...["--security-opt", "label=disable"],
    // Whoever became root by the image's sudo could leave a program in the workspace that makes anybody root outside.
    ...["--security-opt", "no-new-privileges"],
    ...mounts.flatMap(mountArguments),
    ...emptied.flatMap((path) => ["--tmpfs", path]),
    ...Object.keys(env).flatMap((key) => ["--env", isEngines(key) ? `${key}=${env[key]}` : key]),
    ...["--workdir", cwd],
    ...(program === undefined ? [] : ["--entrypoint", program]),
    ...[image, ...before, ...command],
  ];
}

/** What the agent writes belongs to whoever started it. */
export function userArguments({ name, rootless }: Pick<Engine, "name" | "rootless">): string[] {
  const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  if (!rootless) return ["--user", user];
  return name === "podman" ? ["--userns", "keep-id", "--user", user] : ["--user", "0:0"];
}

const mountArguments = ({ source, target, write }: Mount) => [
  "--mount",
  `type=bind,source=${source},target=${target}${write ? "" : ",readonly"}`,
];

/**
 * Values go by the engine's own environment, not by its arguments, which everybody on the machine can read. These it would
 * take for its own; none of them is a secret.
 */
const isEngines = (name: string): boolean => ENGINES.has(name);
const ENGINES = new Set([
  ...["PATH", "HOME", "TMPDIR", "LD_PRELOAD", "LD_LIBRARY_PATH"],
  ...["XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"],
  ...["DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "CONTAINER_HOST", "CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"],
]);

const byName = (env: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !isEngines(name)));
