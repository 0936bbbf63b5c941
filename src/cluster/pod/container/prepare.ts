import { cpSync, mkdirSync, readFileSync, rmdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { isObject, listOf } from "../../../core/protocols/read.ts";
import { writeFileAtomic } from "../../../lib/files/atomic-file.ts";
import { diskError, errnoOf } from "../../../lib/files/disk-error.ts";
import { removeTree } from "../../../lib/files/tree/remove-tree.ts";
import type { AgentPlan } from "./plan.ts";
import { withSection } from "./section.ts";

/**
 * Puts the plan's files where the agent looks for them. What an earlier Task put there is taken away first, by the list it
 * left: a container that is used again must not show one Task's skills to the next.
 */
export function prepare(plan: AgentPlan, own: string): void {
  const list = join(own, "installed.json");
  for (const path of installedBy(list)) remove(path);
  const paths = [...plan.files.map(({ path }) => path), ...plan.copies.map(({ to }) => to)];
  // Before the first of them is made, so that a crash in between leaves nothing that is not listed.
  write(list, JSON.stringify(paths));
  for (const { from, to } of plan.copies) copy(from, to);
  for (const { path, content } of plan.files) write(path, content);
  for (const { path, values } of plan.settings ?? []) merge(path, values, own);
  for (const { path, content } of plan.sections) {
    const before = read(path);
    const after = withSection(before, content);
    if (after !== before) write(path, after);
  }
}

/** Over what the image has, not over what the Task before made of it: that is kept aside. */
function merge(path: string, values: object, own: string): void {
  const aside = join(own, `before-${basename(path)}`);
  const before = read(aside) || read(path) || "{}";
  write(aside, before);
  write(path, JSON.stringify(merged(parse(path, before), values), undefined, 2));
}

/** Objects are merged, whatever else is replaced. */
export function merged(before: unknown, values: unknown): unknown {
  if (!isObject(before) || !isObject(values)) return values;
  const pairs = Object.entries(values).map(([key, value]): [string, unknown] => [key, merged(before[key], value)]);
  return { ...before, ...Object.fromEntries(pairs) };
}

function parse(path: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new AppError("config.invalid", `${path}: is not JSON`, {}, { cause: error });
  }
}

function installedBy(list: string): string[] {
  try {
    return listOf(JSON.parse(readFileSync(list, "utf8"))).filter((path) => typeof path === "string");
  } catch {
    return []; // the first Task here
  }
}

/** With the folders that are empty without it: half an extension is one that agents complain about. */
function remove(path: string): void {
  removeTree(path);
  try {
    for (let folder = dirname(path); ; folder = dirname(folder)) rmdirSync(folder);
  } catch {
    // there is something else in it, so it stays
  }
}

/** What a ConfigMap mounts are links that change under us: the agent gets files. */
function copy(from: string, to: string): void {
  try {
    mkdirSync(dirname(to), { recursive: true });
    cpSync(from, to, { recursive: true, dereference: true, force: true });
  } catch (error) {
    throw diskError("copy a plugin's files", to, error);
  }
}

function write(path: string, content: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (error) {
    throw diskError("make the agent's folder", dirname(path), error);
  }
  writeFileAtomic(path, content); // private: MCP servers have tokens
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return "";
    throw diskError("read the agent's instructions", path, error);
  }
}
