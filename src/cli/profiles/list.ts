import { homedir } from "node:os";
import { discover } from "../../agents/discovery.ts";
import type { Profile } from "../../agents/profile.ts";
import { profileNames, readProfile } from "../../agents/profile-files.ts";
import { loadRegistry } from "../../agents/registry.ts";
import { packageRoot } from "../../base/package-root.ts";
import { AppError } from "../../contract/errors.ts";
import type { Context } from "../command.ts";
import { renderTable } from "../table.ts";

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
  const all = [...rows, ...defaultRows(home, rows, context)];
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

function defaultRows(home: string, saved: readonly Row[], { env }: Context): Row[] {
  const surroundings = {
    env: { ...env, HOME: env.HOME ?? homedir() },
    platform: process.platform,
    own: { node: process.execPath, package: packageRoot() },
  };
  return loadRegistry(home)
    .enabled.filter(({ id }) => !saved.some(({ name }) => name === id))
    .map((definition) => discover(definition, surroundings))
    .filter(({ state }) => state === "installed")
    .map(({ profile: { agent, model } }) => ({ name: agent, agent, model, saved: false }));
}
