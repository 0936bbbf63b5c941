import type { AnchorHTMLAttributes, MouseEvent } from "react";
import { createStore, useStore } from "./base/store.ts";

/** Where the page is: its address is the only state of navigation, so that every view can be linked to. */
export interface Place {
  path: string;
  query: URLSearchParams;
}

const place = createStore<Place>(read());
addEventListener("popstate", () => place.set(read()));

function read(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

export const usePlace = (): Place => useStore(place);

export function go(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", to);
  else if (to !== location.pathname + location.search) history.pushState(null, "", to);
  place.set(read());
}

/** The same place with other values in its query; an empty value leaves it. */
export function withQuery({ path, query }: Place, values: Readonly<Record<string, string>>): string {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(values)) {
    if (value === "") next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** `/runs/:run` against a path; the last `*` takes the rest. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const parts = pattern.split("/");
  const given = path.replace(/\/+$/, "").split("/");
  if (given.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, part] of parts.entries()) {
    const value = given[i] ?? "";
    if (!part.startsWith(":")) {
      if (part !== value) return undefined;
    } else params[part.slice(1)] = decode(value);
  }
  return params;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An address of ours from parts that may hold anything. */
export const address = (...parts: readonly string[]): string => `/${parts.map(encodeURIComponent).join("/")}`;

export function Link({ to, onClick, ...rest }: { to: string } & AnchorHTMLAttributes<HTMLAnchorElement>) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(to);
  };
  return <a href={to} onClick={follow} {...rest} />;
}
