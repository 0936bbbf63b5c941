import { join, relative } from "node:path";
import { isWithin } from "../../lib/files/within.ts";
import { type Mount, seenThrough } from "./mount.ts";

/** A place in the sandbox: something of this machine, a link, or nothing at all. */
export type Layer = Mount | { target: string; link: string } | { target: string; empty: "writable" | "read-only" };

export interface View {
  /** The system, as far as it is nobody's own. */
  system: readonly Layer[];
  /** Empty, and the agent's alone. */
  scratch: readonly string[];
  mounts: readonly Mount[];
  /** Not to be seen, through whichever mount they would be. */
  secret: readonly string[];
  /** To be seen, where nothing shows them yet. */
  needed: readonly string[];
}

/**
 * The layers of a sandbox from the outside in, so that none covers one within it. Where two want the same place the mount
 * that the person's wishes led to wins over the system's.
 */
export function layersOf({ system, scratch, mounts, secret, needed }: View): Layer[] {
  const places = new Map<string, Layer>();
  const put = (layer: Layer) => places.set(layer.target, layer);
  for (const layer of system) put(layer);
  for (const target of scratch) put({ target, empty: "writable" });
  for (const mount of mounts) put(mount);
  const shown = [...places.values()].filter(isMount);
  for (const path of secret) {
    for (const mount of shown) {
      const target = seenThrough(mount, path);
      if (target !== undefined && covering(places, target) === mount) put({ target, empty: "read-only" });
    }
  }
  for (const path of needed) {
    const over = covering(places, path);
    if (over === undefined || !isMount(over) || over.source !== over.target) {
      put({ source: path, target: path, write: false });
    }
  }
  return [...places.values()].sort((a, b) => (`${a.target}/` < `${b.target}/` ? -1 : 1));
}

export const isMount = (layer: Layer): layer is Mount => "source" in layer;

/** The innermost layer that a path lies in. */
function covering(places: ReadonlyMap<string, Layer>, path: string): Layer | undefined {
  const over = [...places.values()].filter(({ target }) => isWithin(path, target));
  return over.sort((a, b) => b.target.length - a.target.length)[0];
}

/**
 * The places that have to be made inside something the agent may write to, each as a path of this machine with the folder it
 * is in. An agent that put a link there would have them made wherever the link leads.
 */
export function placesInWritable(layers: readonly Layer[]): { folder: string; path: string }[] {
  const places = new Map(layers.map((layer) => [layer.target, layer]));
  return layers.flatMap(({ target }) => {
    const outer = new Map([...places].filter(([place]) => place !== target));
    const over = covering(outer, target);
    if (over === undefined || !isMount(over) || !over.write) return [];
    return [{ folder: over.source, path: join(over.source, relative(over.target, target)) }];
  });
}
