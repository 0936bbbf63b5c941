import { messageOf } from "../../contract/errors.ts";
import type { Log } from "../../lib/base/log.ts";
import type { Places } from "./places.ts";
import type { Settings } from "./settings.ts";

export type Environment = Readonly<Record<string, string>>;

/** What a step of the preparation works with. */
export interface StepInput {
  settings: Settings;
  places: Places;
  /** The agent's environment as the steps before have made it. */
  env: Environment;
}

export interface StepResult {
  /** Put into the agent's environment, for the steps after as well. */
  env?: Environment;
  /** What was done, for the log and the status. */
  note?: string;
}

export interface Step {
  name: string;
  /** Without it there is no point in starting the agent. */
  required?: boolean;
  run(input: StepInput): Promise<StepResult> | StepResult;
}

export interface StepReport {
  name: string;
  failed: boolean;
  note: string;
}

/** In order. A step that fails is reported and the next one goes on, unless the agent can't do without it. */
export async function runSteps(
  steps: readonly Step[],
  { settings, places, env }: StepInput,
  log: Log,
): Promise<{ env: Record<string, string>; reports: StepReport[] }> {
  const made = { ...env };
  const reports: StepReport[] = [];
  for (const { name, required = false, run } of steps) {
    try {
      const { env: added = {}, note = "" } = await run({ settings, places, env: made });
      Object.assign(made, added);
      reports.push({ name, failed: false, note });
      log.info(`prepared ${name}`, note === "" ? {} : { note });
    } catch (error) {
      if (required) throw error;
      reports.push({ name, failed: true, note: messageOf(error) });
      log.warn(`could not prepare ${name}`, { error: messageOf(error) });
    }
  }
  return { env: made, reports };
}
