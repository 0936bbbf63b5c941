import { fstatSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { AppError, messageOf } from "../../contract/errors.ts";
import type { Context } from "../../lib/command/command.ts";

interface Given {
  "prompt-file"?: string | undefined;
  interactive?: boolean | undefined;
}

/** What the agent is told: words, a file, or stdin with `-`; what is piped in beside words is put behind them. */
export async function readPrompt(given: Given, words: readonly string[], context: Context): Promise<string> {
  const file = given["prompt-file"] ?? (words.length === 1 && words[0] === "-" ? "-" : undefined);
  if (given["prompt-file"] !== undefined && words.length > 0) {
    throw new AppError("usage.invalid", "prompt: give it as words or with --prompt-file, not both");
  }
  if (file === "-") return notBlank(await allOf(context.stdin), "what came on stdin is empty");
  if (file !== undefined) return notBlank(promptFile(resolve(context.cwd, file)), `${file} is empty`);
  const prompt = words.join(" ");
  if (given.interactive && (context.stdin.isTTY || words.length > 0)) return prompt;
  if (prompt.trim() !== "") return withInput(prompt, await pipedIn(context));
  if (!context.stdin.isTTY || !context.stderr.isTTY) {
    throw new AppError(
      "usage.invalid",
      "prompt: there is none; give it as words, or with --prompt-file FILE (- for stdin)",
    );
  }
  return askForPrompt(context);
}

/** Like the rest of what few calls need, the reading is loaded when it is wanted. */
const allOf = async (input: Context["stdin"]): Promise<string> => (await import("node:stream/consumers")).text(input);

function notBlank(prompt: string, otherwise: string): string {
  if (prompt.trim() !== "") return prompt;
  throw new AppError("usage.invalid", `prompt: ${otherwise}, so there is nothing to do`);
}

const withInput = (prompt: string, input: string): string =>
  input.trim() === "" ? prompt : `${prompt}\n\nWhat was piped in with this:\n\n${input}`;

/** More is for a file that the prompt names: an agent can read that piece by piece. */
const MAX_INPUT_BYTES = 1024 * 1024;

/**
 * How long the first byte is waited for. A pipe of a shell has somebody who writes, or is closed; what other programs give us as
 * stdin is often left open, with nothing to come.
 */
const PIPE_MS = 5000;
const SOCKET_MS = 300;

/** `git diff | cox run "review this"`: all of it, or nothing where nothing is piped in. */
async function pipedIn({ stdin, stderr, clock }: Context): Promise<string> {
  if (stdin.isTTY || !("fd" in stdin && typeof stdin.fd === "number")) return "";
  const facts = fstatSync(stdin.fd);
  if (!facts.isFile() && !facts.isFIFO() && !facts.isSocket()) return "";
  const chunks = stdin[Symbol.asyncIterator]();
  const first = chunks.next();
  const takeBack = clock.after(facts.isSocket() ? SOCKET_MS : PIPE_MS, () => {
    if (!facts.isSocket()) stderr.write("cox: nothing came on stdin, so the run begins without it\n");
    stdin.destroy();
  });
  try {
    const parts: Buffer[] = [];
    let size = 0;
    for (let next = await first; !next.done; next = await chunks.next()) {
      takeBack();
      const part = Buffer.from(next.value);
      parts.push(part);
      size += part.length;
      if (size > MAX_INPUT_BYTES) {
        throw new AppError("usage.invalid", "prompt: more than 1 MB was piped in; put it into a file, and name that");
      }
    }
    return Buffer.concat(parts).toString("utf8");
  } catch (error) {
    if (error instanceof AppError) throw error;
    return ""; // nobody wrote, and it was closed
  } finally {
    takeBack();
    stdin.destroy();
  }
}

function promptFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new AppError("usage.invalid", `prompt: read ${path}: ${messageOf(error)}`, {}, { cause: error });
  }
}

async function askForPrompt(context: Context): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: context.stdin, output: context.stderr });
  try {
    return notBlank((await lines.question("What should the agent do? ")).trim(), "there is none");
  } finally {
    lines.close();
  }
}
