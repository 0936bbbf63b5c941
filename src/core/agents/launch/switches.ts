import { AppError } from "../../../contract/errors.ts";
import type { PermissionMode } from "../../../contract/requests/policy.ts";
import { type AgentDefinition, type PermissionSetting } from "../registry/definition.ts";
import { processPerTurn } from "../registry/protocols.ts";

/** What the switches that are on add to a launch, each in its own way, in the order of the file. */
export interface SwitchEffects {
  args: string[];
  env: Record<string, string>;
  /** Set in the session once it is open. */
  options: { id: string; value: string | boolean }[];
  /** We say yes to whatever the agent asks. */
  approve: boolean;
  /** Nothing will be asked, or all of it allowed: the agent needn't be told to ask. */
  autoApproved: boolean;
}

export type Switches = Readonly<Record<string, boolean>>;

export function applySwitches(definition: AgentDefinition, wanted: Switches, mode: PermissionMode): SwitchEffects {
  requireKnown(definition, wanted);
  const effects: SwitchEffects = { args: [], env: {}, options: [], approve: false, autoApproved: mode === "allow" };
  for (const [key, setting] of Object.entries(definition.permission_settings)) {
    if (!setting.supported || !isOn(key, setting, wanted[key], definition, mode)) continue;
    if (key === AUTO_APPROVE) effects.autoApproved = true;
    apply(setting, effects);
  }
  return effects;
}

const AUTO_APPROVE = "auto_approve";

/**
 * Who denies everything doesn't mean to approve everything, whatever the profile says. An agent that can't ask is allowed
 * something only by its switch, so "allow" turns it on.
 */
function isOn(
  key: string,
  setting: PermissionSetting,
  wanted: boolean | undefined,
  { protocol }: AgentDefinition,
  mode: PermissionMode,
): boolean {
  if (key !== AUTO_APPROVE) return wanted ?? setting.default;
  if (mode === "deny") return false;
  return wanted ?? (setting.default || (mode === "allow" && processPerTurn.has(protocol)));
}

function apply(setting: PermissionSetting, effects: SwitchEffects): void {
  switch (setting.apply_method) {
    case "cli_flag":
      effects.args.push(...flagArguments(setting.cli_flag, setting.cli_flag_value));
      return;
    case "env": {
      const [name, value] = cut(setting.env ?? "");
      effects.env[name] = value ?? "";
      return;
    }
    case "acp":
    case "stdio": {
      if (setting.option === undefined) effects.approve = true;
      else effects.options.push(optionOf(setting.option));
      return;
    }
    default:
      return; // a switch that only labels what the agent does anyway
  }
}

/** `--yolo --fast` is two words; with a value the flag is one word, and the value another, blanks and all. */
function flagArguments(flag: string, value: string): string[] {
  return value === "" ? flag.split(/\s+/).filter((word) => word !== "") : [flag.trim(), value];
}

function optionOf(text: string): { id: string; value: string | boolean } {
  const [id, value] = cut(text);
  return { id, value: value === undefined || value === "true" ? true : value === "false" ? false : value };
}

function cut(text: string): [string, string | undefined] {
  const at = text.indexOf("=");
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function requireKnown(definition: AgentDefinition, wanted: Switches): void {
  const known = Object.entries(definition.permission_settings).flatMap(([key, { supported }]) =>
    supported ? key : [],
  );
  const unknown = Object.keys(wanted).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const offer = known.length === 0 ? "it has none" : `it has ${known.join(", ")}`;
  throw new AppError("config.invalid", `switch ${unknown}: agent ${definition.id} has no such switch; ${offer}`);
}
