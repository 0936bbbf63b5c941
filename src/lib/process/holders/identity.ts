import { execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from "node:fs";
import { errnoOf } from "../../files/disk-error.ts";

/** A pid alone names nobody: pids are reused. With the start time it names one process of this boot. */
export interface ProcessIdentity {
  pid: number;
  start: string;
}

export interface ProcessFacts {
  /** Comparable on this machine until it boots again, no more. */
  start: string;
  parent: number;
  group: number;
  /** Ended, but not yet waited for: `kill(pid, 0)` would still call it alive. */
  zombie: boolean;
  /** Held by a signal, as Ctrl-Z does it, until it is told to go on. */
  stopped: boolean;
}

/** `undefined` when there is none, or when it may not be seen. */
export function factsOf(pid: number): ProcessFacts | undefined {
  return onLinux ? factsFromProc(pid) : factsFromPs(pid);
}

/** `undefined` also for a zombie: it does nothing any more. */
export function startTimeOf(pid: number): string | undefined {
  const facts = factsOf(pid);
  return facts === undefined || facts.zombie ? undefined : facts.start;
}

export function isAlive({ pid, start }: ProcessIdentity): boolean {
  const facts = factsOf(pid);
  if (facts !== undefined) return !facts.zombie && facts.start === start;
  // Others' processes may be hidden (hidepid), and `ps` may fail: in doubt it is alive, so nobody's run is ended by mistake.
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === "EPERM";
  }
}

/** Changes with each boot, so that identities of an earlier one are known to be gone. */
export function bootId(): string {
  boot ??= onLinux
    ? readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
    : run("sysctl", ["-n", "kern.bootsessionuuid"]);
  return boot;
}
let boot: string | undefined;

/** Containers on one machine share the boot id but not their pids. "" where there are no namespaces. */
export function pidNamespace(): string {
  return onLinux ? readlinkSync("/proc/self/ns/pid") : "";
}

/** The process group that has the terminal of this process; `undefined` when there is none. */
export function foregroundGroup(pid: number): number | undefined {
  try {
    const group = onLinux
      ? readFileSync(`/proc/${pid}/stat`, "latin1")
          .replace(/^.*\) /s, "")
          .split(" ")[5]
      : run("ps", ["-o", "tpgid=", "-p", String(pid)]);
    return Number(group) > 1 ? Number(group) : undefined;
  } catch {
    return undefined;
  }
}

/** This process, its parent, and so on up. */
export function selfAndAncestors(): Set<number> {
  const line = new Set<number>();
  for (let pid = process.pid; pid > 0 && !line.has(pid); pid = factsOf(pid)?.parent ?? 0) line.add(pid);
  return line;
}

/**
 * The user's processes started with exactly this in their environment. Finds what left its process group; a program that
 * clears its environment gets away.
 */
export function processesWithEnv(name: string, value: string): number[] {
  const entry = Buffer.from(`${name}=${value}`);
  try {
    if (!onLinux) return pidsWithEnv(run("ps", ["-axEww", "-o", "pid=,command="]), name, value);
    const others = new Set<string>();
    for (let scan = 1; ; scan += 1) {
      const found: number[] = [];
      let isClear = true;
      for (const pid of readdirSync("/proc")) {
        if (!/^\d/.test(pid) || others.has(pid)) continue;
        const has = hasEntry(Number(pid), entry);
        if (has === "yes") found.push(Number(pid));
        else if (has === "no") others.add(pid);
        else isClear = false;
      }
      // One that was gone or not yet ready when we came to it may have left children that the list doesn't have.
      if (found.length > 0 || isClear || scan === MOST_SCANS) return found;
    }
  } catch {
    // No /proc, no ps: whoever ends a run must still be able to end its group.
    return [];
  }
}

/** From the output of `ps -E`: pid, command line, environment, all separated by blanks. */
export function pidsWithEnv(listing: string, name: string, value: string): number[] {
  const lines = listing.split("\n").filter((line) => `${line} `.includes(` ${name}=${value} `));
  return lines.map((line) => Number.parseInt(line, 10)).filter((pid) => pid > 0);
}

/** The command's name stands in brackets and may itself contain blanks and brackets: fields are counted from the last. */
export function parseStat(stat: string): ProcessFacts {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "", parent = "", group = ""] = fields;
  return { ...stateOf(state), parent: Number(parent), group: Number(group), start: fields[19] ?? "" };
}

/** From `ps -o stat=,ppid=,pgid=,lstart=`. */
export function parsePs(line: string): ProcessFacts | undefined {
  const [state = "", parent, group, ...start] = line.trim().split(/\s+/);
  if (start.length === 0) return undefined;
  return { ...stateOf(state), parent: Number(parent), group: Number(group), start: start.join(" ") };
}

const stateOf = (state: string) => ({ zombie: /^[ZXx]/.test(state), stopped: state.startsWith("T") });

function factsFromProc(pid: number): ProcessFacts | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return undefined;
  }
}

function factsFromPs(pid: number): ProcessFacts | undefined {
  try {
    return parsePs(run("ps", ["-o", "stat=,ppid=,pgid=,lstart=", "-p", String(pid)]));
  } catch {
    return undefined;
  }
}

/** On a machine where programs come and go all the time no scan is ever clear. */
const MOST_SCANS = 5;

function hasEntry(pid: number, entry: Buffer): "yes" | "no" | "unclear" {
  try {
    const environ = readEnviron(pid);
    if (environ.length === 0) return isBecoming(pid) ? "unclear" : "no";
    if (!contains(environ, entry)) return "no";
    // Only root could look at others' at all.
    return isRoot && statSync(`/proc/${pid}`).uid !== 0 ? "no" : "yes";
  } catch (error) {
    return ["EACCES", "EPERM"].includes(errnoOf(error)) ? "no" : "unclear";
  }
}

/** All processes of a machine are looked at, several times in a run: nothing is allocated for those that are small, as most are. */
function readEnviron(pid: number): Buffer {
  const fd = openSync(`/proc/${pid}/environ`, "r");
  try {
    const length = readSync(fd, environBuffer, 0, environBuffer.length, 0);
    return length < environBuffer.length ? environBuffer.subarray(0, length) : readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
const environBuffer = Buffer.allocUnsafeSlow(32 * 1024);

/** In the middle of its exec a process has no environment. Neither have zombies and the kernel's own threads, ever. */
function isBecoming(pid: number): boolean {
  const facts = factsFromProc(pid);
  return facts !== undefined && !facts.zombie && facts.parent !== KERNEL_THREADS && pid !== KERNEL_THREADS;
}
const KERNEL_THREADS = 2;

/** `entry` as a whole string between NULs. */
function contains(environ: Buffer, entry: Buffer): boolean {
  for (let at = environ.indexOf(entry); at !== -1; at = environ.indexOf(entry, at + 1)) {
    const end = at + entry.length;
    if ((at === 0 || environ[at - 1] === 0) && (end === environ.length || environ[end] === 0)) return true;
  }
  return false;
}

function run(file: string, args: string[]): string {
  return execFileSync(file, args, {
    encoding: "utf8",
    env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C" },
  }).trim();
}

const onLinux = process.platform === "linux";
const isRoot = process.getuid?.() === 0;
