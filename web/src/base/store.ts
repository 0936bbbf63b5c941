import { useRef, useSyncExternalStore } from "react";

/** A value that components follow. */
export interface Store<T> {
  get(): T;
  set(next: T): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(store: Store<T>): T;
/** Only a part: what else changes draws nothing again. */
export function useStore<T, S>(store: Store<T>, select: (value: T) => S): S;
export function useStore<T>(store: Store<T>, select: (value: T) => unknown = (value) => value): unknown {
  const last = useRef<{ value: T; selected: unknown } | undefined>(undefined);
  return useSyncExternalStore(store.subscribe, () => {
    const value = store.get();
    if (last.current !== undefined && Object.is(last.current.value, value)) return last.current.selected;
    const selected = select(value);
    const kept = last.current !== undefined && isSame(last.current.selected, selected);
    last.current = { value, selected: kept ? last.current?.selected : selected };
    return last.current.selected;
  });
}

/** Equal, or lists with the same members. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => Object.is(item, b[i]));
}
