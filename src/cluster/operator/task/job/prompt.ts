import { AppError } from "../../../../contract/errors.ts";
import type { TaskStatus } from "../../../../contract/resources/task.ts";
import { parseTemplate, renderTemplate } from "../../../../lib/text/template.ts";

/** What a finished Task offers to those that depend on it. */
export interface DependencyResults {
  outputs: readonly string[];
  results: Readonly<Record<string, string>>;
}

/** The Tasks whose results a prompt asks for. Throws for a template that isn't one. */
export function dependenciesUsed(prompt: string, dependsOn: readonly string[]): string[] {
  if (dependsOn.length === 0) return [];
  const { parts } = parseTemplate(prompt);
  const names = new Set<string>();
  for (const part of parts) {
    if (typeof part === "string") continue;
    const [root, name = ""] = part.path;
    if (root !== "Deps" && root !== "deps") continue;
    if (!dependsOn.includes(name)) {
      throw new AppError(
        "dependency.missing",
        `the prompt uses results of ${name}, but dependsOn has ${dependsOn.join(", ")}`,
      );
    }
    names.add(name);
  }
  return [...names];
}

/**
 * The prompt with the results it asks for. Without dependencies it is left alone, braces and all: it may be about templates.
 * Results are what another agent claims, so they go in as plain text: never read as a template, without control characters.
 */
export function renderPrompt(prompt: string, dependencies: ReadonlyMap<string, DependencyResults>): string {
  if (dependencies.size === 0) return prompt;
  const plain = ([name, { outputs, results }]: [string, DependencyResults]) => ({
    name,
    outputs: outputs.map(plainText),
    results: Object.fromEntries(Object.entries(results).map(([key, value]) => [key, plainText(value)])),
  });
  const all = [...dependencies].map(plain);
  return renderTemplate(parseTemplate(prompt), {
    Deps: Object.fromEntries(
      all.map(({ name, outputs, results }) => [name, { Name: name, Results: results, Outputs: outputs }]),
    ),
    deps: Object.fromEntries(all.map(({ name, outputs, results }) => [name, { name, results, outputs }])),
  });
}

/** What the next attempt is told about the one before, when that was asked for. */
export function withFailure(prompt: string, last: TaskStatus["lastAttempt"]): string {
  if (last === undefined) return prompt;
  return `${prompt}\n\nAn earlier attempt at this did not succeed (${last.reason}): ${plainText(last.message)}`;
}

/** Control characters and invisible direction marks become visible: a claim may not hide what it says. */
const plainText = (text: string): string => text.replace(HIDDEN, "\ufffd");
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
