import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../../contract/errors.ts";
import { isWithin } from "../../lib/files/within.ts";
import { runCommand } from "../../lib/process/command.ts";
import { keptExit } from "../../lib/process/exit.ts";
import { findExecutable } from "../../lib/process/path/executable.ts";
import { type Executor, inside } from "./executor.ts";
import { type Isolation, isolatedMounts } from "./isolation.ts";
import { isMount, type Layer, layersOf, placesInWritable } from "./layers.ts";
import { type LocalProcess, type LocalSpec, startLocal } from "./local.ts";
import { asItIs } from "./mount.ts";
import { nodeFolders, programFolders } from "./programs.ts";
import { SANDBOX_INIT } from "./sandbox-init.ts";

export interface SandboxOptions extends Isolation {
  /** As `requireBubblewrap` found it. */
  bwrap: string;
  /** Where our own programs are. */
  own: { node: string; package: string };
}

/**
 * Bubblewrap: the workspace and a home of its own are writable, the rest of the system is there to be read, and of the
 * person's and our own things nothing is there at all. It has its own processes and ends with its keeper, which ends with us.
 */
export function sandboxExecutor(options: SandboxOptions): Executor {
  const { network } = options;
  return { name: "sandbox", inside, hasOurPrograms: true, network, inherits, start: (spec) => start(options, spec) };
}

/** What names places and sockets of the person's. */
const inherits = (name: string) => name !== "SSH_AUTH_SOCK" && name !== "TMPDIR" && !name.startsWith("XDG_");

async function start(options: SandboxOptions, spec: LocalSpec): Promise<LocalProcess> {
  const socket = spec.env.COX_SOCKET;
  const mounts = await isolatedMounts(options, spec);
  const layers = layersOf({
    system: [...systemLayers(), ...kernelLayers()],
    scratch: ["/tmp", "/var/tmp"],
    mounts,
    secret: options.secret,
    needed: neededBy(options, spec)
      .filter(existsSync)
      .map((path) => realpathSync(path)),
  });
  requireNoLinks(layers);
  // What lies in the hidden part of the disk is shown by its real name: a link to it would lead nowhere.
  const file = isHidden(spec.file) || isWithin(spec.file, options.home) ? realpathSync(spec.file) : spec.file;
  const process = await startLocal({
    ...spec,
    file: options.bwrap,
    args: sandboxArguments({
      layers,
      network: options.network,
      cwd: spec.cwd,
      marker: spec.marker.name,
      command: [file, ...spec.args],
    }),
    env: { ...spec.env, HOME: options.home, ...(socket === undefined ? {} : { COX_SOCKET: inside.socket }) },
    keeper: true,
  });
  const exited = process.exited.then(keptExit);
  return { ...process, exited, stop: (graceMs) => process.stop(graceMs).then(keptExit) };
}

function requireNoLinks(layers: readonly Layer[]): void {
  for (const { folder, path } of placesInWritable(layers)) {
    for (let place = path; place !== folder; place = dirname(place)) {
      if (!lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) continue;
      throw new AppError("workspace.invalid", `sandbox: ${place}: is a link where something is to be shown; remove it`);
    }
  }
}

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

/** On merged systems /bin and /lib are links. */
function systemLayers(): Layer[] {
  const entries = readdirSync("/", { withFileTypes: true }).filter(({ name }) => !NOT_BOUND.has(`/${name}`));
  return entries.map((entry) => {
    const path = `/${entry.name}`;
    return entry.isSymbolicLink() ? { target: path, link: readlinkSync(path) } : asItIs(path, false);
  });
}

/**
 * Root may change the kernel's settings without any capability, and one of them names a program that the kernel starts outside.
 * Bubblewrap leaves most of them as they are, since it takes nobody for root. Everybody else can't write to them anyway.
 */
function kernelLayers(): Layer[] {
  if (process.getuid?.() !== 0) return [];
  const entries = readdirSync("/proc", { withFileTypes: true }).filter(({ name }) => !/^\d+$/.test(name));
  const settings = entries.filter(
    (entry) => entry.isDirectory() || (entry.isFile() && isWritable(`/proc/${entry.name}`)),
  );
  return settings.map(({ name }) => asItIs(`/proc/${name}`, false));
}

const isWritable = (file: string) => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o222) !== 0;

export interface SandboxCommand {
  layers: readonly Layer[];
  network: boolean;
  cwd: string;
  /** The variable that everything in it has. */
  marker: string;
  command: readonly string[];
}

export function sandboxArguments({ layers, network, cwd, marker, command }: SandboxCommand): string[] {
  // An emptied place is closed only when everything within it is in place.
  const closed = layers.flatMap((layer) => ("empty" in layer && layer.empty === "read-only" ? [layer.target] : []));
  return [
    ...namespaces(network),
    ...["--dev", "/dev", "--proc", "/proc"],
    ...layers.flatMap(layerArguments),
    ...[...closed, "/"].flatMap((path) => ["--remount-ro", path]),
    ...["--chdir", cwd, "--", "/bin/sh", "-c", SANDBOX_INIT, "sh", marker, ...command],
  ];
}

function namespaces(network: boolean): string[] {
  const own = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"];
  // For root, too, there is nothing left to undo any of it with.
  return [...own, ...(network ? [] : ["--unshare-net"]), "--die-with-parent", "--cap-drop", "ALL"];
}

function layerArguments(layer: Layer): string[] {
  if (isMount(layer)) return [layer.write ? "--bind" : "--ro-bind", layer.source, layer.target];
  return "link" in layer ? ["--symlink", layer.link, layer.target] : ["--tmpfs", layer.target];
}

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
