/**
 * A process that holds something, as a file says it that may outlive the process: its number alone proves nothing, because
 * numbers are reused; with its start time, boot and namespace it names one. Whether it still lives: `lib/process/holders`.
 */
export interface Holder {
  pid: number;
  start: string;
  boot: string;
  namespace: string;
}

/** A file's holder, and all else that it says. `undefined`: gone, half written or damaged, so it names nobody that lives. */
export function parseHeld(
  text: string | undefined,
): { holder: Holder; said: Partial<Record<string, unknown>> } | undefined {
  const said = parse(text ?? "");
  const { pid, start, boot = "", namespace = "" } = said;
  if (typeof pid !== "number" || typeof start !== "string") return undefined;
  if (typeof boot !== "string" || typeof namespace !== "string") return undefined;
  return { holder: { pid, start, boot, namespace }, said };
}

function parse(text: string): Partial<Record<string, unknown>> {
  try {
    return { ...JSON.parse(text) };
  } catch {
    return {};
  }
}
