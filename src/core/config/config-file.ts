import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Document, LineCounter, Node } from "yaml";
import { AppError } from "../../contract/errors.ts";
import { writeFileAtomic } from "../../lib/files/atomic-file.ts";
import { errnoOf } from "../../lib/files/disk-error.ts";
import { openHome } from "../store/home.ts";
import { type Config, type ConfigKey, configKeys, isConfigKey } from "./config-keys.ts";

export const configPath = (root: string): string => join(root, "config.yaml");

/** What the person set, checked. A file nobody wrote sets nothing, and costs no YAML library. */
export async function readConfig(root: string): Promise<Config> {
  const text = readText(configPath(root));
  return text === undefined ? {} : (await parse(text, configPath(root))).config;
}

/** Changes one key and nothing else: comments, order and blank lines stay. */
export async function writeConfig(root: string, key: ConfigKey, value: string | undefined): Promise<void> {
  const path = configPath(root);
  const { document } = await parse(readText(path) ?? "", path);
  const steps = key.split(".");
  if (value === undefined) document.deleteIn(steps);
  else document.setIn(steps, checked(key, value, `config ${key}`));
  openHome(root);
  writeFileAtomic(path, document.toString());
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    // A file where the state folder should be is said by whoever opens the folder, with what to do.
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return undefined;
    throw new AppError("config.invalid", `${path}: can't be read (${errnoOf(error)})`, { path }, { cause: error });
  }
}

async function parse(text: string, path: string): Promise<{ config: Config; document: Document }> {
  const { LineCounter, parseDocument, isMap, isScalar, isSeq } = await import("yaml");
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) throw invalid(path, lines, error.pos[0], error.message.split("\n")[0] ?? "not YAML");
  const config: Record<string, unknown> = {};

  const walk = (node: unknown, prefix: string) => {
    if (!isMap(node))
      throw invalid(
        path,
        lines,
        startOf(node),
        `${prefix === "" ? "it" : prefix.slice(0, -1)} must be keys with values`,
      );
    for (const pair of node.items) {
      const name = `${prefix}${isScalar(pair.key) ? String(pair.key.value) : "?"}`;
      if (configGroups.has(name)) walk(pair.value, `${name}.`);
      else if (!isConfigKey(name))
        throw invalid(path, lines, startOf(pair.key), `unknown key ${name}; valid keys are ${keyList}`);
      else {
        const value: unknown = isScalar(pair.value) || isSeq(pair.value) ? pair.value.toJSON() : undefined;
        const at = place(path, lines, startOf(pair.value ?? pair.key));
        config[name] = checked(name, value, `${at}: ${name}`);
      }
    }
  };
  // Empty, or only comments.
  if (document.contents !== null) walk(document.contents, "");
  return { config, document };
}

function checked(key: ConfigKey, value: unknown, where: string): string | number {
  const { parse, expects } = configKeys[key];
  const result = parse(value);
  if (result !== undefined) return result;
  throw new AppError("config.invalid", `${where}: ${JSON.stringify(value ?? null)} is not ${expects}`);
}

const keyList = Object.keys(configKeys).join(", ");
const configGroups: ReadonlySet<string> = new Set(
  Object.keys(configKeys).flatMap((key) => {
    const steps = key.split(".");
    return steps.slice(1).map((_, index) => steps.slice(0, index + 1).join("."));
  }),
);

const startOf = (node: unknown): number => (node as Node | null)?.range?.[0] ?? 0;

const place = (path: string, lines: LineCounter, offset: number) => `${path}, line ${lines.linePos(offset).line}`;

function invalid(path: string, lines: LineCounter, offset: number, why: string): AppError {
  return new AppError("config.invalid", `${place(path, lines, offset)}: ${why}`, { path });
}
