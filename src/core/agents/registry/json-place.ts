/**
 * Where a text stops being JSON. V8 tells the position in some of its messages and not in others, and nothing here may
 * depend on a message; so we walk the tokens ourselves. Only called for text that JSON.parse refused.
 */
export function brokenAt(text: string): { line: number; column: number } {
  const token =
    /\s*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?))/y;
  const open: string[] = [];
  let expected: Expected = "value";
  let at = 0;
  while (expected !== "end") {
    token.lastIndex = at;
    const match = token.exec(text);
    if (match === null) break;
    const kind = match[1] ?? (match[2] === undefined ? "scalar" : "string");
    const next = step(expected, kind, open);
    if (next === undefined) break;
    expected = next;
    at = token.lastIndex;
  }
  const blank = /^\s*/.exec(text.slice(at));
  return placeIn(text, at + (blank?.[0].length ?? 0));
}

type Expected = "value" | "value or ]" | "key" | "key or }" | ":" | ", or close" | "end";

/** What may follow `kind` where `expected` was allowed; undefined when `kind` itself was not. */
function step(expected: Expected, kind: string, open: string[]): Expected | undefined {
  if (expected.startsWith("value")) {
    if (kind === "{" || kind === "[") {
      open.push(kind);
      return kind === "{" ? "key or }" : "value or ]";
    }
    if (kind === "string" || kind === "scalar") return afterValue(open);
    return kind === "]" && expected === "value or ]" ? close(open) : undefined;
  }
  if (expected.startsWith("key")) {
    if (kind === "string") return ":";
    return kind === "}" && expected === "key or }" ? close(open) : undefined;
  }
  if (expected === ":") return kind === ":" ? "value" : undefined;
  if (kind === ",") return open.at(-1) === "{" ? "key" : "value";
  return kind === (open.at(-1) === "{" ? "}" : "]") ? close(open) : undefined;
}

function close(open: string[]): Expected {
  open.pop();
  return afterValue(open);
}

const afterValue = (open: readonly string[]): Expected => (open.length === 0 ? "end" : ", or close");

function placeIn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
