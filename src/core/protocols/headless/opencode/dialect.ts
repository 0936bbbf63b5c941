import type { Exit } from "../../protocol.ts";
import type { Resume } from "../conversation.ts";
import { type Dialect, deadToken, type ExitTrouble, plainText } from "../dialect.ts";
import { type OpencodeState, opencodeTranslator } from "./translate.ts";

/**
 * `opencode run --format json`. The prompt goes to stdin; as an argument it would reach the model in quotes, and couldn't be
 * longer than 128 KB.
 */
export const opencodeDialect: Dialect<OpencodeState> = {
  name: "opencode",
  translator: opencodeTranslator,
  promptArguments: [],
  neverAsks:
    "opencode run never asks: a tool that would need to is refused, and the turn ends there; --auto allows all",
  explainExit,
  // While the server fails or is down it retries without a word; a step begins when the server begins to answer.
  waiting: (state) => (state.open.turn !== undefined && !state.inStep ? "silent" : "no"),
};

function explainExit({ code, signal }: Exit, stderr: string, resume: Resume | undefined): ExitTrouble | undefined {
  if (signal !== undefined || code === 0) return undefined;
  const said = plainText(stderr);
  if (resume !== undefined && /session not found/i.test(said)) return deadToken("opencode", resume);
  return said === "" ? undefined : { category: "process", message: said };
}
