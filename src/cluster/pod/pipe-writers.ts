import { readdirSync, readFileSync, readlinkSync } from "node:fs";

const WRITES = 0o3; // O_WRONLY or O_RDWR, of fdinfo's octal flags

/**
 * Whether a process that we can see holds the other end of this pipe. An agent that is piped into us does; the pipe that a
 * container engine gave us as stdin is written from outside, by nobody we see.
 */
export function hasVisibleWriter(fd: number): boolean {
  const pipe = linkOf(`/proc/self/fd/${fd}`);
  if (pipe === undefined || !pipe.startsWith("pipe:")) return false;
  const pids = namesIn("/proc").filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  return pids.some((pid) =>
    namesIn(`/proc/${pid}/fd`).some((name) => linkOf(`/proc/${pid}/fd/${name}`) === pipe && writes(pid, name)),
  );
}

function writes(pid: string, name: string): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/${pid}/fdinfo/${name}`, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & WRITES) !== 0;
  } catch {
    return false; // it closed it, or ended, while we looked
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // another user's, or gone
  }
}
