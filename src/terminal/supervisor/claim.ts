import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import type { Log } from "../../lib/base/log.ts";
import { writeFileAtomic } from "../../lib/files/atomic-file.ts";
import { bootId, isAlive, pidNamespace, startTimeOf } from "../../lib/process/holders/identity.ts";
import { type Marker, sweep } from "../../lib/process/stop.ts";
import { readText } from "./credentials/file.ts";
import { isObject } from "./setup/json-file.ts";

/** In the environment of everything that a supervisor starts. */
const MARKER = "COXSWAIN_SUPERVISOR";
const SWEEP_MS = 5000;

export interface Claim {
  marker: Marker;
  release(): void;
}

interface Record {
  pid: number;
  start: string;
  boot: string;
  namespace: string;
  marker: string;
}

/** One supervisor per state folder. What one that was killed has left running is ended first: it holds ports and the agent. */
export async function claimState(state: string, log: Log): Promise<Claim> {
  const file = join(state, "supervisor.json");
  const before = parse(readText(file));
  // Another boot or container: nothing of it can be running here.
  if (before !== undefined && before.boot === bootId() && before.namespace === pidNamespace()) {
    if (isAlive(before)) {
      const message = `${state}: supervisor ${before.pid} is at work there; stop it first, or choose another workspace`;
      throw new AppError("workspace.busy", message, { pid: before.pid });
    }
    const { ended } = await sweep({ name: MARKER, value: before.marker }, SWEEP_MS);
    if (ended > 0) log.warn("ended what a killed supervisor left running", { processes: ended });
  }
  const marker = randomUUID();
  const { pid } = process;
  const record: Record = { pid, start: startTimeOf(pid) ?? "", boot: bootId(), namespace: pidNamespace(), marker };
  writeFileAtomic(file, JSON.stringify(record));
  return { marker: { name: MARKER, value: marker }, release: () => rmSync(file, { force: true }) };
}

function parse(text: string | undefined): Record | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    if (!isObject(value)) return undefined;
    const { pid, start, boot, namespace, marker } = value;
    const whole = [start, boot, namespace, marker].every((one) => typeof one === "string") && typeof pid === "number";
    return whole ? ({ pid, start, boot, namespace, marker } as Record) : undefined;
  } catch {
    return undefined; // half written by nobody of ours; then there is nothing to end
  }
}
