import { type KubeObject, keyOf } from "./resource.ts";

/** How a set of objects is found by something other than its name: each object's values for it. */
export type Indexer<T> = (object: T) => readonly string[];

/**
 * The objects of one kind as last seen. Every look-up is by key or by index: a reconcile costs the same with 100 objects and
 * with 10,000.
 */
export class Store<T extends KubeObject, I extends string = never> {
  readonly #objects = new Map<string, T>();
  readonly #indexers: Record<I, Indexer<T>>;
  readonly #indexes: Record<I, Map<string, Set<string>>>;

  constructor(indexers: Record<I, Indexer<T>>) {
    this.#indexers = indexers;
    const names = Object.keys(indexers) as I[];
    this.#indexes = Object.fromEntries(names.map((name) => [name, new Map()])) as Record<I, Map<string, Set<string>>>;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  by(index: I, value: string): T[] {
    const keys = this.#indexes[index].get(value) ?? [];
    return [...keys].flatMap((key) => this.#objects.get(key) ?? []);
  }

  /** Takes an object in, unless what is known is the same or newer: our own writes arrive here before the watch tells them. */
  put(object: T): { before: T | undefined; changed: boolean } {
    const before = this.#objects.get(keyOf(object));
    return before !== undefined && !isNewer(object, before) ? { before, changed: false } : this.set(object);
  }

  /** Takes an object in even if it is older: what a list says is the truth, also of a cluster that was restored from a copy. */
  set(object: T): { before: T | undefined; changed: boolean } {
    const key = keyOf(object);
    const before = this.#objects.get(key);
    if (before !== undefined && isSame(object, before)) {
      return { before, changed: false };
    }
    if (before !== undefined) this.#unindex(key, before);
    this.#objects.set(key, object);
    for (const [index, value] of this.#entries(object)) {
      const keys = this.#indexes[index].get(value) ?? new Set();
      this.#indexes[index].set(value, keys.add(key));
    }
    return { before, changed: true };
  }

  delete(key: string): T | undefined {
    const before = this.#objects.get(key);
    if (before === undefined) return undefined;
    this.#unindex(key, before);
    this.#objects.delete(key);
    return before;
  }

  #unindex(key: string, object: T): void {
    for (const [index, value] of this.#entries(object)) {
      const keys = this.#indexes[index].get(value);
      keys?.delete(key);
      if (keys?.size === 0) this.#indexes[index].delete(value);
    }
  }

  #entries(object: T): [I, string][] {
    const names = Object.keys(this.#indexers) as I[];
    return names.flatMap((index) => this.#indexers[index](object).map((value): [I, string] => [index, value]));
  }
}

/** Versions of one object can be compared as numbers; those of two objects that only share a name can't. */
function isNewer(object: KubeObject, known: KubeObject): boolean {
  if (object.metadata.uid !== known.metadata.uid) return true;
  const [version, knownVersion] = [object, known].map(({ metadata }) => Number(metadata.resourceVersion));
  if (version === undefined || knownVersion === undefined || Number.isNaN(version + knownVersion)) return true;
  return version > knownVersion;
}

const isSame = (a: KubeObject, b: KubeObject): boolean =>
  a.metadata.uid === b.metadata.uid && a.metadata.resourceVersion === b.metadata.resourceVersion;
