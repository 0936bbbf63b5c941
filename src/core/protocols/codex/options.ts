import type { Choice, ConfigOption } from "../../../contract/events.ts";
import { isObject, type Json, listOf, objectOf, textOf } from "../read.ts";
import type { CodexState, Model, Options, Step } from "./state.ts";

const approvals: readonly Choice[] = [
  { value: "untrusted", label: "Ask", description: "Ask before anything that isn't known to be harmless" },
  { value: "on-request", label: "On request", description: "Ask only to leave the sandbox" },
  { value: "never", label: "Never ask", description: "What the sandbox forbids fails" },
];

export function modelsOf(result: Json): Model[] {
  return listOf(result.data).flatMap((item) => {
    const model = objectOf(item);
    const value = textOf(model.model) ?? textOf(model.id);
    if (value === undefined || model.hidden === true) return [];
    const efforts = listOf(model.supportedReasoningEfforts).flatMap((option) => {
      const { reasoningEffort, description } = objectOf(option);
      const effort = textOf(reasoningEffort);
      return effort === undefined ? [] : [{ value: effort, label: effort, description: textOf(description) }];
    });
    const label = textOf(model.displayName) ?? value;
    const defaultEffort = textOf(model.defaultReasoningEffort);
    return [{ value, label, description: textOf(model.description), efforts, defaultEffort }];
  });
}

/** The settings of a thread, as its start, a notification or a turn of ours names them. */
export function settingsOf(settings: Json): Partial<Options> {
  return {
    model: textOf(settings.model),
    effort: textOf(settings.effort) ?? textOf(settings.reasoningEffort),
    approvals: approvalsOf(settings.approvalPolicy),
  };
}

/** What is granular asks for less than any word of the list: it is nearest to none. */
const approvalsOf = (policy: unknown) => textOf(policy) ?? (isObject(policy) ? "never" : undefined);

/** Tells all options anew when one has changed; before the thread is known there is nothing to tell. */
export function changed(state: CodexState, patch: Partial<Options>): Step {
  const news = Object.entries(patch).filter(
    ([key, value]) => value !== undefined && value !== keyed(state.options, key),
  );
  if (news.length === 0) return [state, []];
  const options: Options = { ...state.options, ...Object.fromEntries(news) };
  const next = { ...state, options };
  return [next, options.model === undefined ? [] : [{ type: "config_options", options: told(options) }]];
}

const keyed = (options: Options, key: string): unknown => options[key as keyof Options];

function told({ models, model, effort, approvals: policy }: Options): ConfigOption[] {
  const current = models.find(({ value }) => value === model);
  const options: ConfigOption[] = [];
  if (model !== undefined) {
    const choices = models.map(({ value, label, description }) => ({ value, label, description }));
    options.push({ id: "model", name: "Model", category: "model", value: model, choices: some(choices) });
  }
  const level = effort ?? current?.defaultEffort;
  if (level !== undefined) {
    const choices = current === undefined ? undefined : some([...current.efforts]);
    options.push({ id: "effort", name: "Reasoning effort", category: "effort", value: level, choices });
  }
  if (policy !== undefined) {
    options.push({ id: "mode", name: "Approvals", category: "mode", value: policy, choices: [...approvals] });
  }
  return options;
}

const some = (choices: Choice[]) => (choices.length > 0 ? choices : undefined);
