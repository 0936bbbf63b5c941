import { readdirSync } from "node:fs";
import { homeAt } from "../../src/core/store/home.ts";
import { readClaims } from "../../src/core/store/runs/claims.ts";

/** How long a host may take to end its agent, on a busy machine, before it is killed. */
const PATIENCE_MS = 20_000;

/** Ends the runs that a test left alive, and returns when their hosts are gone: what is being written to can't be deleted. */
export async function endRuns(home: string): Promise<void> {
  const hosts = new Set<number>();
  for (const deadline = Date.now() + PATIENCE_MS; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
    for (const pid of claimed(home)) if (!hosts.has(pid) && signal(pid, "SIGTERM")) hosts.add(pid);
    for (const pid of hosts) if (!signal(pid, Date.now() > deadline ? "SIGKILL" : 0)) hosts.delete(pid);
    if (hosts.size === 0) return;
  }
}

/** A test may be a host itself. */
function claimed(home: string): number[] {
  if (!isFolder(home)) return [];
  return readClaims(homeAt(home)).flatMap(({ claim }) => (claim && claim.pid !== process.pid ? [claim.pid] : []));
}

/** Tests put all sorts of things in a home's place. */
function isFolder(path: string): boolean {
  try {
    readdirSync(path);
    return true;
  } catch {
    return false;
  }
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
