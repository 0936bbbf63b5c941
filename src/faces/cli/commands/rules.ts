import type { Rule } from "../../../contract/requests/policy.ts";
import { attribution } from "../../../core/runs/run-access.ts";
import { appendAudit } from "../../../core/store/audit.ts";
import { homeAt, homePath } from "../../../core/store/home.ts";
import { readRules, removeRule } from "../../../core/store/rules.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { group } from "../../../lib/command/group.ts";
import { renderWrapped, withoutSpare } from "../../../lib/command/table.ts";
import { oneLine, printableJson, revealedLine } from "../../../lib/text/printable.ts";

const ls = command({
  name: "rules ls",
  summary: "List what was allowed or denied for good.",
  usage: "cox rules ls [--json]",
  examples: ["cox rules ls --json"],
  words: [0, 0],
  options: { json: { help: "print the rules as JSON lines" } },
  run: ({ values }, context) => list(values.json === true, context),
});

const rm = command({
  name: "rules rm",
  summary: "Revoke rules, at once.",
  usage: "cox rules rm RULE...",
  words: [1, Number.POSITIVE_INFINITY],
  options: {},
  examples: ["cox rules rm r-mwhmjdpo-f4683f46"],
  run: ({ positionals }, context) => revoke(positionals, context),
});

export default group({
  name: "rules",
  summary: "List what was allowed or denied for good, and revoke it.",
  verbs: { ls, rm },
  otherwise: "ls",
  examples: ["cox rules", "cox rules rm RULE      asked again from then on"],
});

function list(json: boolean, context: Context): number {
  const rules = readRules(homeAt(homePath(context.env)));
  if (json) {
    for (const rule of rules) context.stdout.write(`${printableJson(rule)}\n`);
    return 0;
  }
  if (rules.length === 0) context.stderr.write("no rules: nothing is allowed or denied for good\n");
  else context.stdout.write(render(rules, context.stdout.columns));
  return 0;
}

/** What is allowed is not cut. */
function render(rules: readonly Rule[], columns: number | undefined): string {
  const table = [HEAD, ...rules.map(rowOf)];
  return renderWrapped(columns ? withoutSpare(table, columns, ["BY", "AGENT", "PROJECT"]) : table, columns);
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
  const home = homeAt(homePath(env));
  for (const id of ids) {
    const rule = removeRule(home, id);
    const at = new Date(clock.now()).toISOString();
    appendAudit(home, { at, what: "rule.removed", who: attribution(), data: { ...rule } });
    stdout.write(`revoked ${rule.id}: ${rule.decision} ${rule.kind} ${revealedLine(rule.match)}\n`);
  }
  return 0;
}
