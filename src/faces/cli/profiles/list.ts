import { AppError } from "../../../contract/errors.ts";
import { discoverHere } from "../../../core/agents/discovery/discovery.ts";
import type { Profile } from "../../../core/agents/profiles/profile.ts";
import { profileNames, readProfile } from "../../../core/agents/profiles/profile-files.ts";
import { loadRegistry } from "../../../core/agents/registry/registry.ts";
import type { Context } from "../../../lib/command/command.ts";
import { renderTable } from "../../../lib/command/table.ts";

interface Row {
  name: string;
  agent: string;
  model: string;
  /** Kept in a file, or the one that every installed agent has. */
  saved: boolean;
}

/** `cox profile ls` */
export async function listProfiles(home: string, wishes: { json?: boolean }, context: Context): Promise<number> {
  const { rows, broken } = await savedRows(home);
  const all = [...rows, ...(await defaultRows(home, rows, context))];
  if (wishes.json) for (const row of all) context.stdout.write(`${JSON.stringify(row)}\n`);
  else {
    const cells = all.map(({ name, agent, model, saved }) => [
      name,
      agent,
      model || "its own choice",
      saved ? "saved" : "default",
    ]);
    context.stdout.write(renderTable([["PROFILE", "AGENT", "MODEL", "KIND"], ...cells]));
  }
  for (const message of broken) context.stderr.write(`cox: warning: ${message}\n`);
  return broken.length === 0 ? 0 : 1;
}

async function savedRows(home: string): Promise<{ rows: Row[]; broken: string[] }> {
  const rows: Row[] = [];
  const broken: string[] = [];
  for (const name of profileNames(home)) {
    try {
      const { agent, model = "" }: Profile = await readProfile(home, name);
      rows.push({ name, agent, model, saved: true });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      broken.push(error.message);
    }
  }
  return { rows, broken };
}

async function defaultRows(home: string, saved: readonly Row[], { env }: Context): Promise<Row[]> {
  return (await loadRegistry(home)).enabled
    .filter(({ id }) => !saved.some(({ name }) => name === id))
    .map((definition) => discoverHere(definition, env))
    .filter(({ state }) => state === "installed")
    .map(({ profile: { agent, model } }) => ({ name: agent, agent, model, saved: false }));
}
