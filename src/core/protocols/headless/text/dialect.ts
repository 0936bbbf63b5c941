import type { Exit } from "../../protocol.ts";
import { type Dialect, type ExitTrouble, plainText } from "../dialect.ts";
import { type TextState, textTranslator } from "./translate.ts";

/** Any program: the prompt goes in, what it prints is its answer, and its exit code says whether it worked. */
export const textDialect: Dialect<TextState> = {
  name: "text",
  translator: textTranslator,
  promptArguments: [],
  isPlain: true,
  neverAsks: "a program that speaks text never asks: what it does, it does; --on sandbox puts a fence around it",
  explainExit,
  waiting: () => "no",
};

function explainExit({ code, signal }: Exit, stderr: string): ExitTrouble | undefined {
  const said = plainText(stderr);
  if (signal !== undefined || said === "") return undefined;
  return { category: "process", message: `exit code ${code}: ${said}` };
}
