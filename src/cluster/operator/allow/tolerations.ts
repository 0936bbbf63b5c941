import { AppError } from "../../../contract/errors.ts";
import type { PodOverrides } from "../../../contract/resources/pod-overrides.ts";

type Toleration = NonNullable<PodOverrides["tolerations"]>[number];

/** One `--allow-toleration`: a taint by its key, or by key and value. */
export interface TaintRule {
  key: string;
  value?: string;
}

export function taintRule(text: string): TaintRule {
  const [, key, value] = /^([A-Za-z0-9][\w./-]*)(?:=([\w.-]*))?$/.exec(text) ?? [];
  if (key === undefined) {
    throw new AppError("usage.invalid", `--allow-toleration ${JSON.stringify(text)}: use a taint's KEY or KEY=VALUE`);
  }
  return value === undefined ? { key } : { key, value };
}

/** One without a key tolerates every taint there is, the control plane's too: nothing allows that. */
export function isAllowedToleration(toleration: Toleration, allowed: readonly string[]): boolean {
  const { key, operator = "Equal", value = "" } = toleration;
  return allowed
    .map(taintRule)
    .some((rule) => rule.key === key && (rule.value === undefined || (operator === "Equal" && rule.value === value)));
}

/** The same for the API server, about the toleration that `t` stands for. */
export function tolerationExpression(allowed: readonly string[], t: string): string {
  const quoted = (text: string) => JSON.stringify(text);
  const cases = allowed.map(taintRule).map(({ key, value }) => {
    const same = `${t}.key == ${quoted(key)}`;
    if (value === undefined) return same;
    const isEqual = `(!has(${t}.operator) || ${t}.operator == "Equal")`;
    return `(${same} && ${isEqual} && (has(${t}.value) ? ${t}.value : "") == ${quoted(value)})`;
  });
  return cases.length === 0 ? "false" : `has(${t}.key) && (${cases.join(" || ")})`;
}

/** As the Task has it, for the message. */
export const tolerationText = ({ key, operator = "Equal", value }: Toleration): string =>
  key === undefined || key === "" ? "every taint" : operator === "Exists" ? key : `${key}=${value ?? ""}`;
