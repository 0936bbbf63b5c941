import { type Backoff, backoffMs } from "../../lib/base/backoff.ts";
import type { Clock } from "../../lib/base/clock.ts";
import type { Log } from "../../lib/base/log.ts";
import { linesOf } from "../../lib/text/lines.ts";
import type { KubeClient } from "./client.ts";
import { isExpired, KubeError } from "./error.ts";
import { type KubeObject, keyOf, pathOf, type Resource } from "./resource.ts";
import type { Store } from "./store.ts";
import { parseWatchLine, type WatchEvent } from "./watch-line.ts";

export interface InformerOptions<T extends KubeObject, I extends string> {
  client: KubeClient;
  resource: Resource<T>;
  namespace: string | undefined;
  labelSelector?: string;
  store: Store<T, I>;
  /** What is kept of an object: the cache holds no more than is looked at. */
  trim: (object: T) => T;
  /** `after` is missing when the object is gone; then `before` is its last state. */
  onChange: (key: string, after: T | undefined, before: T | undefined) => void;
  clock: Clock;
  log: Log;
  /** A watch that says nothing for so long is taken for dead. Bookmarks come about once a minute. */
  inactivityMs?: number;
  backoff?: Backoff;
  random?: () => number;
}

const PAGE = 500;
const INACTIVITY_MS = 150_000;
const RETRY: Backoff = { base: 500, factor: 2, cap: 30_000 };
/** A watch that held this long was a good one: what ends it is no reason to wait. */
const HEALTHY_MS = 5000;

/**
 * Keeps a store equal to what the API server has: one list, then a watch from there, for ever. Whatever breaks the watch, it
 * goes on from the last version it saw; when that is gone, it lists again and tells what changed in between, including what
 * was deleted meanwhile.
 */
export class Informer<T extends KubeObject, I extends string> {
  readonly #options: InformerOptions<T, I>;
  #version: string | undefined;
  #failures = 0;
  #markSynced: () => void = () => {};
  /** Resolves when the first list is in the store. */
  readonly synced = new Promise<void>((resolve) => {
    this.#markSynced = resolve;
  });

  constructor(options: InformerOptions<T, I>) {
    this.#options = options;
  }

  /** Until the signal aborts; never throws. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, resource } = this.#options;
    while (!signal.aborted) {
      const began = clock.monotonic();
      const failure = await this.#follow(signal).catch((error: unknown) => ({ error }));
      if (signal.aborted) return;
      const held = clock.monotonic() - began;
      if (failure === undefined && held >= HEALTHY_MS) {
        this.#failures = 0;
        continue;
      }
      // A server that ends each watch at once must not be asked in a busy loop, whether it calls that an error or not.
      this.#failures = held >= HEALTHY_MS ? 1 : this.#failures + 1;
      const error = failure?.error;
      if (isExpired(error)) this.#version = undefined;
      const asked = error instanceof KubeError ? error.retryAfterMs : undefined;
      const wait =
        asked ?? backoffMs(this.#failures, this.#options.backoff ?? RETRY, this.#options.random ?? Math.random);
      if (error !== undefined) log.warn("watch broken", { kind: resource.kind, error, waitMs: wait });
      // The first fault is healed at once: most are a connection that was cut.
      if (asked !== undefined || this.#failures > 1) await clock.sleep(wait, signal);
    }
  }

  async #follow(signal: AbortSignal): Promise<undefined> {
    this.#version ??= await this.#list(signal);
    await this.#watch(this.#version, signal);
  }

  /** Page by page: ten thousand objects are never in memory as they came. */
  async #list(signal: AbortSignal): Promise<string> {
    const { client, resource, namespace, labelSelector, store, trim, onChange } = this.#options;
    const seen = new Set<string>();
    let token: string | undefined;
    for (;;) {
      const page = await client.list(resource, namespace, { labelSelector, limit: PAGE, continue: token }, signal);
      for (const item of page.items) {
        // Items of a list don't say what they are.
        const object = trim({ ...item, apiVersion: resource.apiVersion, kind: resource.kind });
        seen.add(keyOf(object));
        const { before, changed } = store.set(object);
        if (changed) onChange(keyOf(object), object, before);
      }
      token = page.metadata.continue;
      if (token !== undefined && token !== "") continue;
      for (const key of [...store.keys()]) if (!seen.has(key)) this.#remove(key, undefined);
      this.#markSynced();
      return page.metadata.resourceVersion;
    }
  }

  async #watch(from: string, signal: AbortSignal): Promise<void> {
    const { client, resource, namespace, labelSelector, clock } = this.#options;
    const random = this.#options.random ?? Math.random;
    const silence = new AbortController();
    const both = AbortSignal.any([signal, silence.signal]);
    const inactivityMs = this.#options.inactivityMs ?? INACTIVITY_MS;
    let cancel = () => {};
    const heard = () => {
      cancel();
      cancel = clock.after(inactivityMs, () =>
        silence.abort(new KubeError(`watch ${resource.plural}: silent`, { status: 0, reason: "" })),
      );
    };
    heard();
    try {
      const response = await client.open("GET", pathOf(resource, namespace), {
        query: {
          watch: true,
          allowWatchBookmarks: true,
          resourceVersion: from,
          labelSelector,
          // Spread, so that the watches of many operators don't end together.
          timeoutSeconds: Math.round(300 + 300 * random()),
        },
        signal: both,
      });
      // A stream that is torn down throws from the loop below; an error event after that has nobody to tell.
      response.on("error", () => {});
      for await (const lines of linesOf(response)) {
        heard();
        for (const line of lines) this.#take("text" in line ? parseWatchLine(resource, line.text) : undefined);
      }
    } catch (error) {
      if (silence.signal.aborted) throw silence.signal.reason;
      throw error;
    } finally {
      cancel();
    }
  }

  #take(event: WatchEvent<T> | undefined): void {
    const { resource, trim } = this.#options;
    if (event === undefined) {
      throw new KubeError(`watch ${resource.plural}: a line that is no event`, { status: 0, reason: "" });
    }
    if (event.type === "error") {
      const { message, status, retryAfterMs } = event;
      throw new KubeError(`watch ${resource.plural}: ${message}`, { status, reason: "", retryAfterMs });
    }
    if (event.type === "changed") this.#put(trim(event.object));
    if (event.type === "deleted") this.#remove(keyOf(event.object), trim(event.object));
    this.#version = event.version;
  }

  #put(object: T): void {
    const { before, changed } = this.#options.store.put(object);
    if (changed) this.#options.onChange(keyOf(object), object, before);
  }

  #remove(key: string, last: T | undefined): void {
    const known = this.#options.store.get(key);
    // One of the same name that was made after it is another object.
    if (known !== undefined && last !== undefined && known.metadata.uid !== last.metadata.uid) return;
    const before = this.#options.store.delete(key);
    const final = last ?? before;
    if (final !== undefined) this.#options.onChange(key, undefined, final);
  }
}
