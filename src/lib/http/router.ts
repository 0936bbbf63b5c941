import type { Params } from "./route.ts";

interface Placed {
  path: string;
  method?: string;
}

export type Match<T> = { found: T; params: Params } | { allow: readonly string[] } | undefined;

/** Finds the route of a path. A literal segment wins over one in braces; `allow` when only the method is wrong. */
export function createRouter<T extends Placed>(routes: readonly T[]): (method: string, path: string) => Match<T> {
  const root = newNode<T>();
  for (const route of routes) add(root, route);
  return (method, path) => {
    const segments = segmentsOf(path);
    if (segments === undefined) return undefined;
    const hit = find(root, segments, 0, []);
    if (hit === undefined) return undefined;
    const found = hit.node.methods.get(method);
    if (found === undefined) return { allow: [...hit.node.methods.keys()].sort() };
    return { found, params: Object.fromEntries(namesOf(found.path).map((name, at) => [name, hit.values[at] ?? ""])) };
  };
}

interface Node<T> {
  literals: Map<string, Node<T>>;
  any: Node<T> | undefined;
  methods: Map<string, T>;
}

const newNode = <T>(): Node<T> => ({ literals: new Map(), any: undefined, methods: new Map() });

function add<T extends Placed>(root: Node<T>, route: T): void {
  let node = root;
  for (const segment of route.path.slice(1).split("/")) {
    if (isName(segment)) node = node.any ??= newNode();
    else {
      const next = node.literals.get(segment) ?? newNode<T>();
      node.literals.set(segment, next);
      node = next;
    }
  }
  const method = route.method ?? "GET";
  if (node.methods.has(method)) throw new Error(`two routes for ${method} ${route.path}`);
  node.methods.set(method, route);
}

function find<T>(
  node: Node<T>,
  segments: readonly string[],
  at: number,
  values: readonly string[],
): Hit<T> | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.methods.size === 0 ? undefined : { node, values };
  const literal = node.literals.get(segment);
  const hit = literal && find(literal, segments, at + 1, values);
  if (hit !== undefined) return hit;
  return node.any === undefined || segment === "" ? undefined : find(node.any, segments, at + 1, [...values, segment]);
}

interface Hit<T> {
  node: Node<T>;
  values: readonly string[];
}

/** Decoded once, after splitting: an encoded slash stays inside its segment. `undefined` for a bad escape. */
function segmentsOf(path: string): string[] | undefined {
  try {
    return path.slice(1).split("/").map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

const isName = (segment: string): boolean => segment.startsWith("{") && segment.endsWith("}");

const namesOf = (path: string): string[] =>
  path
    .split("/")
    .filter(isName)
    .map((segment) => segment.slice(1, -1));
