import { readlinkSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

/**
 * All the places that decide what a path leads to: each link on the way, where it really lies, and at last the thing itself.
 * Whoever can write to one of them can lead the path elsewhere. What isn't there is taken by its name.
 */
export function linkTrail(path: string): string[] {
  const links: string[] = [];
  let rest = path.split("/");
  let at = "/";
  while (rest.length > 0) {
    const [name = "", ...more] = rest;
    rest = more;
    if (name === "..") at = dirname(at);
    if (name === "" || name === "." || name === "..") continue;
    const next = join(at, name);
    const target = links.length < MAX_LINKS ? targetOf(next) : undefined;
    if (target === undefined) {
      at = next;
      continue;
    }
    links.push(next);
    rest = [...target.split("/"), ...rest];
    if (isAbsolute(target)) at = "/";
  }
  return [...links, at];
}

/** As many as the kernel follows: links may form a ring. */
const MAX_LINKS = 40;

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // no link, or nothing that we could start either
  }
}
