import { useCallback, useEffect, useSyncExternalStore } from "react";
import type { ApiKey, Call, Result } from "../../../src/contract/api/index.ts";
import { server } from "./client.ts";

/** What was asked, shown at once when asked again, and asked anew whenever somebody looks. */
interface Entry {
  state: Answer<unknown>;
  at: number;
  asking: AbortController | undefined;
  ask: (signal: AbortSignal) => Promise<unknown>;
  listeners: Set<() => void>;
}

export interface Answer<T> {
  data?: T;
  error?: unknown;
  loading: boolean;
}

const entries = new Map<string, Entry>();
const FRESH_MS = 1000;
const KEPT = 60;

export function useApi<K extends ApiKey>(
  key: K,
  given: Call<K> | undefined,
): Answer<Result<K>> & { reload: () => void } {
  const name = given === undefined ? undefined : `${key} ${JSON.stringify(given)}`;
  const entry = name === undefined || given === undefined ? undefined : entryOf(name, key, given);
  useEffect(() => {
    if (entry !== undefined && Date.now() - entry.at > FRESH_MS) void load(entry);
  }, [entry]);
  const state = useSyncExternalStore(
    useCallback(
      (listener) => {
        entry?.listeners.add(listener);
        return () => entry?.listeners.delete(listener);
      },
      [entry],
    ),
    () => entry?.state ?? nothing,
  );
  const reload = useCallback(() => void (entry && load(entry)), [entry]);
  return { ...(state as Answer<Result<K>>), reload };
}

const nothing: Answer<unknown> = { loading: false };

function entryOf<K extends ApiKey>(name: string, key: K, given: Call<K>): Entry {
  const known = entries.get(name);
  if (known !== undefined) return known;
  const made: Entry = {
    state: { loading: true },
    at: 0,
    asking: undefined,
    ask: async (signal) => (await server.open(key, given, { signal })).json(),
    listeners: new Set(),
  };
  entries.set(name, made);
  forgetOld();
  return made;
}

async function load(entry: Entry): Promise<void> {
  entry.asking?.abort();
  const asking = new AbortController();
  entry.asking = asking;
  entry.at = Date.now();
  if (!entry.state.loading) show(entry, { ...entry.state, loading: true });
  try {
    const data = await entry.ask(asking.signal);
    if (entry.asking === asking) show(entry, { data, loading: false });
  } catch (error) {
    if (entry.asking === asking && !asking.signal.aborted)
      show(entry, { ...(entry.state.data === undefined ? {} : { data: entry.state.data }), error, loading: false });
  }
}

function show(entry: Entry, state: Answer<unknown>): void {
  entry.state = state;
  for (const listener of [...entry.listeners]) listener();
}

/** Something changed on the server: whoever looks asks again, the rest is forgotten. */
export function changed(...starts: readonly string[]): void {
  for (const [name, entry] of entries) {
    if (!starts.some((start) => name.startsWith(start))) continue;
    if (entry.listeners.size > 0) void load(entry);
    else entries.delete(name);
  }
}

/** After a while without a connection: whoever looks asks again. */
export function reloadStale(): void {
  for (const [name, entry] of entries) {
    if (entry.listeners.size === 0) entries.delete(name);
    else if (entry.state.error !== undefined || Date.now() - entry.at > FRESH_MS) void load(entry);
  }
}

function forgetOld(): void {
  for (const [name, entry] of entries) {
    if (entries.size <= KEPT) return;
    if (entry.listeners.size === 0) entries.delete(name);
  }
}
