import type { Choice, ConfigOption } from "../../../contract/events.ts";
import { booleanOf, type Json, listOf, objectOf, oneOf, textOf } from "../read.ts";

const categories: Readonly<Record<string, ConfigOption["category"]>> = {
  model: "model",
  mode: "mode",
  thought_level: "effort",
};

/**
 * Models and modes of a session. Newer agents list config options; older ones have a `modes` and a `models` block instead
 * or besides. The option wins, since it is what `session/set_config_option` will change.
 */
export function optionsOf(result: Json): ConfigOption[] {
  const options = listOf(result.configOptions).flatMap(configOption);
  const has = (category: string) => options.some((option) => option.category === category);
  if (!has("mode")) options.push(...modesOf(objectOf(result.modes)));
  if (!has("model")) options.push(...modelsOf(objectOf(result.models)));
  return options;
}

export function configOption(value: unknown): ConfigOption[] {
  const option = objectOf(value);
  const id = textOf(option.id);
  const current = textOf(option.currentValue) ?? booleanOf(option.currentValue);
  if (id === undefined || current === undefined) return [];
  const category = categories[textOf(option.category) ?? ""] ?? "other";
  const choices = listOf(option.options).flatMap(choicesOf);
  const name = textOf(option.name) ?? id;
  return [{ id, name, category, value: current, choices: choices.length > 0 ? choices : undefined }];
}

/** A choice, or a group of them. */
function choicesOf(value: unknown): Choice[] {
  const choice = objectOf(value);
  if (Array.isArray(choice.options)) return choice.options.flatMap(choicesOf);
  const id = textOf(choice.value);
  if (id === undefined) return [];
  return [{ value: id, label: textOf(choice.name) ?? id, description: textOf(choice.description) }];
}

function modesOf(modes: Json): ConfigOption[] {
  const value = textOf(modes.currentModeId);
  if (value === undefined) return [];
  return [{ id: "mode", name: "Mode", category: "mode", value, choices: named(modes.availableModes, "id") }];
}

function modelsOf(models: Json): ConfigOption[] {
  const value = textOf(models.currentModelId);
  if (value === undefined) return [];
  return [{ id: "model", name: "Model", category: "model", value, choices: named(models.availableModels, "modelId") }];
}

function named(list: unknown, key: "id" | "modelId"): Choice[] {
  return listOf(list).flatMap((item) => {
    const choice = objectOf(item);
    const value = textOf(choice[key]);
    if (value === undefined) return [];
    return [{ value, label: textOf(choice.name) ?? value, description: textOf(choice.description) }];
  });
}

/** How a changed option is told to the agent: by the option itself, or by the older method of its block. */
export function howToSet(result: Json, id: string): "config" | "mode" | "model" | undefined {
  if (listOf(result.configOptions).some((option) => objectOf(option).id === id)) return "config";
  if (id === "mode" && textOf(objectOf(result.modes).currentModeId) !== undefined) return "mode";
  if (id === "model" && textOf(objectOf(result.models).currentModelId) !== undefined) return "model";
  return undefined;
}

export function withValue(options: readonly ConfigOption[], id: string, value: string | boolean): ConfigOption[] {
  return options.map((option) => (option.id === id ? { ...option, value } : option));
}

export const stopReasons = ["end_turn", "max_tokens", "refusal", "cancelled"] as const;
export function stopReasonOf(value: unknown) {
  return value === "max_turn_requests" ? "max_turns" : oneOf(stopReasons, value);
}
