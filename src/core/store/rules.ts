import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import type { Rule, RuleDraft } from "../../contract/requests/policy.ts";
import { randomBytes } from "../../lib/base/crypto.ts";
import { createFileExclusive } from "../../lib/files/atomic-file.ts";
import { diskError, errnoOf } from "../../lib/files/disk-error.ts";
import type { Home } from "./home.ts";
import { readSmallFile } from "./small-file.ts";

const folderOf = (home: Home) => join(home.root, "rules");
const RULE_ID = /^[\w-]{1,64}$/;

/** One file each: made at once, revoked by removing it, so that nobody ever rewrites what another decided. */
export function readRules(home: Home): Rule[] {
  const rules = namesIn(folderOf(home)).flatMap((name) => {
    const id = name.endsWith(".json") ? name.slice(0, -5) : "";
    return RULE_ID.test(id) ? (readRule(home, id) ?? []) : [];
  });
  return rules.sort((a, b) => (a.created < b.created ? -1 : 1));
}

/** The same rule again is the one that there is. */
export function makeRule(home: Home, draft: RuleDraft, by: string, now: number): Rule {
  const same = readRules(home).find((rule) => keys.every((key) => rule[key] === draft[key]));
  if (same !== undefined) return same;
  const folder = folderOf(home);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw diskError("store a rule", folder, error);
  }
  const id = `r-${now.toString(36)}-${randomBytes(4).toString("hex")}`;
  const rule: Rule = { id, ...draft, created: new Date(now).toISOString(), by };
  createFileExclusive(join(folder, `${id}.json`), `${JSON.stringify(rule)}\n`);
  return rule;
}

const keys = ["decision", "kind", "match", "project", "agent"] as const;

/** The rule that was revoked. */
export function removeRule(home: Home, id: string): Rule {
  const rule = RULE_ID.test(id) ? readRule(home, id) : undefined;
  if (rule === undefined)
    throw new AppError("rule.not_found", `rule ${id}: there is no such rule; \`cox rules ls\` lists them`);
  rmSync(join(folderOf(home), `${id}.json`), { force: true });
  return rule;
}

/** A file that is no rule decides nothing. */
function readRule(home: Home, id: string): Rule | undefined {
  const text = readSmallFile(join(folderOf(home), `${id}.json`));
  if (text === undefined) return undefined;
  try {
    const { decision, kind, match, project, agent, created = "", by = "" }: Partial<Rule> = JSON.parse(text);
    const isDecision = decision === "allow" || decision === "deny";
    const isWhole = [kind, match, project, agent].every((value) => typeof value === "string") && match !== "";
    if (!isDecision || !isWhole) return undefined;
    return { id, decision, kind, match, project, agent, created, by } as Rule;
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}
