import type { TurnWords } from "../../../contract/agents/turn-words.ts";
import { AppError } from "../../../contract/errors.ts";
import type { CliFlags } from "../registry/protocols.ts";

/** What follows a definition's command in every turn, for a program that is started anew for each. */
export interface TurnFlags extends CliFlags {
  prompt: string;
}

/** `--model {model}` gives two words, `-c model="{model}"` gives `-c` and `model="M"`: split at the first space only. */
export function modelArguments(flag: string, model: string): string[] {
  if (flag === "") return [];
  const space = flag.indexOf(" ");
  const words = space === -1 ? [flag] : [flag.slice(0, space), flag.slice(space + 1).trimStart()];
  return words.map((word) => word.replaceAll("{model}", model));
}

/** A name goes into flags and quoted settings: nothing in it may end them. */
export function requireModelName(model: string): string {
  if (/^[^\s"'\\{}`$\u0000-\u001f-][^\s"'\\{}`$\u0000-\u001f]*$/.test(model)) return model;
  throw new AppError("usage.invalid", `model ${JSON.stringify(model)}: not a name that a model can have`);
}

/** `--resume` gives `--resume ID`, `resume` gives `resume ID`, `--fork --session` gives `--fork --session ID`. */
export function sessionArguments(flag: string, sessionId: string): string[] {
  // The token comes from what an agent printed: it must not become a flag of its own.
  if (sessionId.startsWith("-")) throw new AppError("run.not_resumable", `session id ${sessionId}: begins with "-"`);
  return [...flag.split(" ").filter((word) => word !== ""), sessionId];
}

/** Linux takes no longer word than this, whatever the rest is. */
const MAX_WORD_BYTES = 128 * 1024 - 1;

/** `--prompt {prompt}` gives two words, `{prompt}` one; the prompt is part of one of them, blanks and all. */
export function promptArguments(flag: string, prompt: string): string[] {
  const words = flag.split(" ").filter((word) => word !== "");
  const filled = words.map((word) => word.replaceAll("{prompt}", () => prompt));
  if (filled.every((word) => Buffer.byteLength(word) <= MAX_WORD_BYTES && !word.includes("\0"))) return filled;
  const message = `prompt of ${Buffer.byteLength(prompt)} bytes: can't be an argument (at most 128 KB, without zero bytes); remove prompt_flag from the agent's entry if it reads stdin`;
  throw new AppError("usage.invalid", message);
}

export function turnWords({ model, resume, fork, prompt }: TurnFlags): TurnWords {
  return {
    ...(model === "" ? {} : { model: (name) => modelArguments(model, requireModelName(name)) }),
    ...(resume === "" ? {} : { resume: (sessionId) => sessionArguments(resume, sessionId) }),
    ...(fork === "" ? {} : { fork: (sessionId) => sessionArguments(fork, sessionId) }),
    ...(prompt === "" ? {} : { prompt: (text) => promptArguments(prompt, text) }),
  };
}
