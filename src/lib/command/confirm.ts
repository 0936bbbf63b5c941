import { AppError } from "../../contract/errors.ts";
import type { Context } from "./command.ts";

/** Only a yes is a yes. Where nobody can be asked, `otherwise` says what to do. */
export async function confirm(question: string, { stdin, stderr }: Context, otherwise: string): Promise<boolean> {
  if (!stdin.isTTY || !stderr.isTTY) throw new AppError("usage.invalid", otherwise);
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    // The end of the input is a no.
    const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
    const answer = await Promise.race([lines.question(`${question} [y/N] `), ended]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
