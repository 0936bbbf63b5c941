import { type InspectedAgent, inspectAgents } from "../../../core/agents/discovery/inspect-agents.ts";
import { displayName } from "../../../core/agents/registry/definition.ts";
import type { Problem } from "../../../core/agents/registry/entry-list.ts";
import { loadRegistry } from "../../../core/agents/registry/registry.ts";
import { homePath } from "../../../core/store/home.ts";
import type { Context } from "../../../lib/command/command.ts";
import { renderWrapped, withoutSpare } from "../../../lib/command/table.ts";

/** `cox agent ls` */
export async function listAgents(wishes: { json?: boolean; all?: boolean }, context: Context): Promise<number> {
  const home = homePath(context.env);
  const registry = await loadRegistry(home);
  const looked = await inspectAgents(wishes.all ? registry.all : registry.enabled, home, context.env);
  if (wishes.json) {
    for (const each of looked) context.stdout.write(`${JSON.stringify(asJson(each))}\n`);
    tellProblems(registry.problems, context);
    return 0;
  }
  const usable = looked.filter(isUsable);
  const rows = [...usable, ...looked.filter((each) => !isUsable(each))].map(rowOf);
  const { columns } = context.stdout;
  const table = [["AGENT", "STATE", "PROTOCOL", "MODEL", "TO USE IT"], ...rows];
  const shown = columns ? withoutSpare(table, columns, ["PROTOCOL", "MODEL"]) : table;
  context.stdout.write(renderWrapped(shown, columns));
  tellProblems(registry.problems, context);
  return 0;
}

export function tellProblems(problems: readonly Problem[], { stderr }: Context): void {
  for (const { message } of problems) stderr.write(`cox: warning: ${message}\n`);
}

const isUsable = ({ found }: InspectedAgent) => found.state === "installed";

function rowOf({ definition, found, version, profiles }: InspectedAgent): string[] {
  const state = definition.enabled ? stateOf(found.state, version) : "disabled";
  const use = found.state === "installed" && profiles.length > 0 ? `--profile ${profiles.join(" or ")}` : found.remedy;
  return [definition.id, state, definition.protocol, found.profile.model || "its own choice", use];
}

export function stateOf(state: InspectedAgent["found"]["state"], version: string | undefined): string {
  switch (state) {
    case "installed":
      return version === undefined ? "installed" : `installed ${version}`;
    case "needs_login":
      return version === undefined ? "needs login" : `${version}, needs login`;
    case "not_on_path":
      return "not on PATH";
    case "missing":
      return "missing";
  }
}

export function asJson({ definition, found, version, profiles }: InspectedAgent) {
  return {
    id: definition.id,
    name: definition.name,
    display_name: displayName(definition),
    enabled: definition.enabled,
    state: found.state,
    version: version ?? null,
    protocol: definition.protocol,
    default_model: found.profile.model,
    program: found.program ?? null,
    login: found.login,
    paths: found.paths,
    remedy: found.remedy,
    profiles,
  };
}
