/** What the outside wants: first a proper end, then a quick one. */
export interface Signals {
  /** Aborts at the first SIGTERM, SIGINT or SIGHUP. */
  stop: AbortSignal;
  /** Aborts at the second. */
  force: AbortSignal;
  /** The first one's name. */
  name(): NodeJS.Signals;
  /** Stops listening. */
  off(): void;
}

const NAMES = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

export function listenForSignals(from: NodeJS.EventEmitter): Signals {
  const stop = new AbortController();
  const force = new AbortController();
  let first: NodeJS.Signals | undefined;
  const heard = (name: NodeJS.Signals) => {
    if (first !== undefined) return force.abort();
    first = name;
    stop.abort();
  };
  for (const name of NAMES) from.on(name, heard);
  return {
    stop: stop.signal,
    force: force.signal,
    name: () => first ?? "SIGTERM",
    off: () => {
      for (const name of NAMES) from.off(name, heard);
    },
  };
}
