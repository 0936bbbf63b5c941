import { AppError } from "../../contract/errors.ts";

/**
 * A command line in words, with quotes as a shell has them, and nothing else of a shell: no variables, no pipes. What the
 * terminal host appends to the command then reaches the agent, which `sh -c` would have swallowed.
 */
export function splitCommand(text: string): [string, ...string[]] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (quote !== undefined) {
      if (char === quote) quote = undefined;
      else if (quote === '"' && char === "\\" && ESCAPED_IN_QUOTES.test(text[at + 1] ?? "")) word += text[++at] ?? "";
      else word += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= "";
    } else if (char === "\\" && at + 1 < text.length) {
      word = (word ?? "") + (text[++at] ?? "");
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + char;
    }
  }
  if (quote !== undefined)
    throw new AppError("usage.invalid", `command ${JSON.stringify(text)}: a ${quote} is not closed`);
  if (word !== undefined) words.push(word);
  const [program, ...rest] = words;
  if (program === undefined || program === "")
    throw new AppError("usage.invalid", "command: it is empty; name a program");
  return [program, ...rest];
}

const ESCAPED_IN_QUOTES = /["\\$`]/;
