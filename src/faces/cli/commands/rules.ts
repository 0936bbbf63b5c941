import { AppError } from "../../../contract/errors.ts";
import type { Rule } from "../../../contract/requests/policy.ts";
import { attribution } from "../../../core/runs/run-access.ts";
import { appendAudit } from "../../../core/store/audit.ts";
import { homeAt, homePath } from "../../../core/store/home.ts";
import { readRules, removeRule } from "../../../core/store/rules.ts";
import { type Context, command, requirePositionals } from "../../../lib/command/command.ts";
import { renderTable } from "../../../lib/command/table.ts";
import { oneLine, printableJson, revealedLine } from "../../../lib/text/printable.ts";

const spec = command({
  name: "rules",
  summary: "List what was allowed or denied for good, and revoke it.",
  usage: "cox rules ls [--json] | cox rules rm RULE…",
  options: { json: { help: "print the rules as JSON lines" } },
  examples: ["cox rules ls", "cox rules rm r-mwhmjdpo-f4683f46"],
  run({ values, positionals }, context) {
    const [verb = "ls", ...ids] = positionals;
    if (verb === "rm") return revoke(ids, context);
    requirePositionals(spec, positionals, 0, 1);
    if (verb === "ls") return list(values.json === true, context);
    throw new AppError("usage.invalid", `cox rules ${verb}: unknown; usage: ${spec.usage}`);
  },
});
export default spec;

function list(json: boolean, context: Context): number {
  const rules = readRules(homeAt(homePath(context.env)));
  if (json) {
    for (const rule of rules) context.stdout.write(`${printableJson(rule)}\n`);
    return 0;
  }
  if (rules.length === 0) context.stderr.write("no rules: nothing is allowed or denied for good\n");
  else context.stdout.write(renderTable([HEAD, ...rules.map(rowOf)], context.stdout.columns));
  return 0;
}

const HEAD = ["RULE", "", "KIND", "PROJECT", "AGENT", "BY", "ACTION"];

const rowOf = ({ id, decision, kind, match, project, agent, by }: Rule): string[] => [
  id,
  decision,
  kind,
  project || "all",
  agent || "all",
  oneLine(by),
  revealedLine(match),
];

function revoke(ids: readonly string[], { env, stdout, clock }: Context): number {
  if (ids.length === 0) throw new AppError("usage.invalid", "cox rules rm: which? `cox rules ls` lists them");
  const home = homeAt(homePath(env));
  for (const id of ids) {
    const rule = removeRule(home, id);
    const at = new Date(clock.now()).toISOString();
    appendAudit(home, { at, what: "rule.removed", who: attribution(), data: { ...rule } });
    stdout.write(`revoked ${rule.id}: ${rule.decision} ${rule.kind} ${revealedLine(rule.match)}\n`);
  }
  return 0;
}
