import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../contract/errors.ts";
import { runCommand } from "../process/command.ts";
import { findExecutable } from "../process/executable.ts";
import { keptExit } from "../process/exit.ts";
import { type Executor, inside } from "./executor.ts";
import { type Isolation, isolatedMounts } from "./isolation.ts";
import { isMount, type Layer, layersOf } from "./layers.ts";
import { type LocalProcess, type LocalSpec, startLocal } from "./local.ts";
import { asItIs, isWithin, type Mount } from "./mount.ts";
import { nodeFolders, programFolders } from "./programs.ts";

export interface SandboxOptions extends Isolation {
  /** As `requireBubblewrap` found it. */
  bwrap: string;
  /** Our state and our sockets: seen through no mount. */
  secret: readonly string[];
  /** Where our own programs are. */
  own: { node: string; package: string };
}

/**
 * Bubblewrap: the workspace and a home of its own are writable, the rest of the system is there to be read, and of the
 * person's and our own things nothing is there at all. It has its own processes and ends with its keeper, which ends with us.
 */
export function sandboxExecutor(options: SandboxOptions): Executor {
  return { name: "sandbox", inside, hasOurPrograms: true, start: (spec) => start(options, spec) };
}

async function start(options: SandboxOptions, spec: LocalSpec): Promise<LocalProcess> {
  const socket = spec.env.COX_SOCKET;
  const mounts = await isolatedMounts(options, dirname(spec.stdoutPath), socket);
  const layers = layersOf({
    system: systemMounts(),
    scratch: ["/tmp", "/var/tmp"],
    mounts,
    secret: options.secret,
    needed: neededBy(options, spec).filter(existsSync).map(real),
  });
  const process = await startLocal({
    ...spec,
    file: options.bwrap,
    args: sandboxArguments({ layers, network: options.network, cwd: spec.cwd, command: [seen(spec.file), ...spec.args] }),
    env: { ...spec.env, HOME: options.home, ...(socket === undefined ? {} : { COX_SOCKET: inside.socket }) },
    keeper: true,
  });
  const exited = process.exited.then(keptExit);
  return { ...process, exited, stop: (graceMs) => process.stop(graceMs).then(keptExit) };
}

/** Links lead out of what is shown; the program itself is shown. */
const seen = (file: string): string => (isHidden(file) ? real(file) : file);

const neededBy = ({ own }: SandboxOptions, { file, env }: LocalSpec): string[] => [
  ...programFolders(file),
  ...nodeFolders(own.node),
  own.package,
  "/etc/resolv.conf",
  ...CERTIFICATES.flatMap((name) => env[name] ?? []),
];

const CERTIFICATES = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"];

/** People's own places, and where programs listen for each other. */
const HIDDEN = ["/home", "/root", "/run", "/tmp", "/var/tmp", "/mnt", "/media"];
const isHidden = (path: string) => HIDDEN.some((folder) => isWithin(path, folder));

/** /dev and /proc are made anew. */
const NOT_BOUND = new Set([...HIDDEN, "/dev", "/proc", "/lost+found"]);

function systemMounts(): Mount[] {
  const names = readdirSync("/").map((name) => `/${name}`);
  return names.filter((path) => !NOT_BOUND.has(path)).map((path) => asItIs(path, false));
}

export interface SandboxCommand {
  layers: readonly Layer[];
  network: boolean;
  cwd: string;
  command: readonly string[];
}

export function sandboxArguments({ layers, network, cwd, command }: SandboxCommand): string[] {
  // An emptied place is closed only when everything within it is in place.
  const closed = layers.flatMap((layer) => (!isMount(layer) && layer.empty === "read-only" ? [layer.target] : []));
  return [
    ...namespaces(network),
    ...["--dev", "/dev", "--proc", "/proc"],
    ...layers.flatMap(layerArguments),
    ...[...closed, "/"].flatMap((path) => ["--remount-ro", path]),
    ...["--chdir", cwd, "--", ...command],
  ];
}

function namespaces(network: boolean): string[] {
  const own = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"];
  // For root, too, there is nothing left to undo any of it with.
  return [...own, ...(network ? [] : ["--unshare-net"]), "--die-with-parent", "--cap-drop", "ALL"];
}

function layerArguments(layer: Layer): string[] {
  if (!isMount(layer)) return ["--tmpfs", layer.target];
  const { source, target, write } = layer;
  if (source === target && isLink(source)) return ["--symlink", readlinkSync(source), target];
  return [write ? "--bind" : "--ro-bind", source, target];
}

/** On merged systems /bin and /lib are links. */
function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

const real = (path: string): string => realpathSync(path);

/** Its path, after it has shown that it can make a sandbox here. */
export async function requireBubblewrap(env: NodeJS.ProcessEnv, platform = process.platform): Promise<string> {
  if (platform !== "linux") {
    throw new AppError("platform.unsupported", "sandbox: needs Linux; use --on container, or --on local");
  }
  let bwrap: string;
  try {
    bwrap = findExecutable("bwrap", { path: env.PATH, cwd: "/" });
  } catch (error) {
    const message = `sandbox: bwrap is not installed; install the package bubblewrap: ${INSTALL}`;
    throw new AppError("agent.not_ready", message, { package: "bubblewrap" }, { cause: error });
  }
  const trial = [...namespaces(true), "--ro-bind", "/", "/", "--proc", "/proc", "--", "/bin/sh", "-c", ":"];
  const { code, stderr } = await runCommand(bwrap, trial, { cwd: "/", env: {}, timeoutMs: TRIAL_MS });
  if (code === 0) return bwrap;
  throw new AppError("agent.not_ready", `sandbox: ${bwrap} can't make one here (${stderr.trim()}); ${ALLOW}`);
}

const TRIAL_MS = 10_000;
const INSTALL = "apt-get install bubblewrap, or dnf install bubblewrap";
const ALLOW =
  "allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone=1, on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0), or use --on container";
