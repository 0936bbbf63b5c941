import type { AgentEvent, Choice, ConfigOption } from "../../../contract/events.ts";
import { type Json, listOf, objectOf, textOf } from "../read.ts";
import type { ClaudeState, Options, Step } from "./translate/state.ts";

/** The CLI names its modes nowhere on the wire; bypassPermissions can only be chosen at the start. */
const modes: readonly Choice[] = [
  { value: "default", label: "Ask", description: "Ask before anything that changes something" },
  { value: "acceptEdits", label: "Accept edits", description: "Edit files without asking" },
  { value: "plan", label: "Plan", description: "Look and propose, change nothing" },
  { value: "auto", label: "Auto", description: "A classifier decides what needs asking" },
  { value: "dontAsk", label: "Don't ask", description: "Deny whatever isn't allowed already" },
];
const bypass: Choice = { value: "bypassPermissions", label: "Bypass", description: "Allow everything" };

/** What the answer to `initialize` offers. */
export function offered(state: ClaudeState, response: Json): Step {
  const models = listOf(response.models).flatMap((item) => {
    const model = objectOf(item);
    const value = textOf(model.value);
    if (value === undefined) return [];
    const label = textOf(model.displayName) ?? value;
    return [{ value, label, description: textOf(model.description), resolved: textOf(model.resolvedModel) }];
  });
  const mode = textOf(response.current_permission_mode);
  const model = state.options.model ?? models[0]?.value;
  return changed(state, { models, model, mode });
}

/** The CLI names the model it resolved; keep the choice that stands for it. */
export function resolvedModel(options: Options, model: string | undefined): string | undefined {
  const isIt = ({ value, resolved }: Options["models"][number]) => value === model || resolved === model;
  const current = options.models.find(({ value }) => value === options.model);
  if (current !== undefined && isIt(current)) return options.model;
  return options.models.find(isIt)?.value ?? model;
}

/** Tells all options anew when one has changed. */
export function changed(state: ClaudeState, patch: Partial<Options>): Step {
  const options: Options = { ...state.options, ...dropUndefined(patch) };
  const { models, model, mode } = state.options;
  if (models === options.models && model === options.model && mode === options.mode) return [state, []];
  return [{ ...state, options }, [{ type: "config_options", options: told(options) }]];
}

export function commandsEvent(commands: unknown): AgentEvent {
  const told = listOf(commands).flatMap((item) => {
    const command = objectOf(item);
    const name = textOf(command.name);
    if (name === undefined) return [];
    return [{ name, description: textOf(command.description), inputHint: textOf(command.argumentHint) || undefined }];
  });
  return { type: "commands", commands: told };
}

function told({ models, model, mode }: Options): ConfigOption[] {
  const told: ConfigOption[] = [];
  const choices = models.map(({ value, label, description }) => ({ value, label, description }));
  if (model !== undefined) {
    told.push({
      id: "model",
      name: "Model",
      category: "model",
      value: model,
      choices: choices.length > 0 ? choices : undefined,
    });
  }
  if (mode !== undefined) {
    const known = mode === bypass.value ? [...modes, bypass] : [...modes];
    told.push({ id: "mode", name: "Permission mode", category: "mode", value: mode, choices: known });
  }
  return told;
}

function dropUndefined(patch: Partial<Options>): Partial<Options> {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}
