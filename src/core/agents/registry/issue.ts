import type { z } from "zod";

type Issue = z.core.$ZodIssue;

/** What is wrong with a file's content, for whoever wrote it: the place, what stands there, and what may stand there. */
export function describeIssues(error: z.ZodError, input: unknown): string {
  return error.issues.map((issue) => describeIssue(issue, input)).join("; ");
}

export function describeIssue(issue: Issue, input: unknown): string {
  const place = placeOf(issue.path);
  const found = valueAt(input, issue.path);
  const at = (why: string) => (place === "" ? why : `${place}: ${why}`);
  switch (issue.code) {
    case "invalid_value":
      if (found === undefined) return at(`missing; valid: ${issue.values.join(", ")}`);
      return `${place} ${quoted(found)}: unknown; valid: ${issue.values.join(", ")}`;
    case "unrecognized_keys":
      return at(`unknown key ${issue.keys.map(quoted).join(", ")}`);
    case "invalid_type":
      return at(found === undefined ? "missing" : `must be ${article(issue.expected)}, not ${nameOf(found)}`);
    case "too_small":
      if (issue.origin === "string" || issue.origin === "array") return at("must not be empty");
      return at(`must be ${issue.inclusive ? "at least" : "greater than"} ${issue.minimum}, not ${quoted(found)}`);
    case "invalid_key":
      return at(issue.issues.map(({ message }) => message).join(", "));
    case "invalid_union":
      return at(`${quoted(found)} fits none of the forms allowed here`);
    default:
      return at(issue.message);
  }
}

/** `resource_limits.memory_mb`, `cmd[0]` */
function placeOf(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) => (typeof part === "number" ? `[${part}]` : i === 0 ? String(part) : `.${String(part)}`))
    .join("");
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) =>
      typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[part] : undefined,
    input,
  );
}

const quoted = (value: unknown) => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
};

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return article(typeof value);
}

function article(type: string): string {
  if (type === "array") return "a list";
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
