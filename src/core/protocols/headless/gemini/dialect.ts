import { categoryOfStatus } from "../../category.ts";
import type { Exit } from "../../protocol.ts";
import type { Resume } from "../conversation.ts";
import { type Dialect, deadToken, type ExitTrouble, plainText } from "../dialect.ts";
import { type GeminiState, geminiTranslator } from "./translate.ts";

/** `gemini -o stream-json`: it takes the prompt from a piped stdin, at any length and with any first character. */
export const geminiDialect: Dialect<GeminiState> = {
  name: "gemini",
  translator: geminiTranslator,
  promptArguments: [],
  neverAsks:
    "gemini never asks here: without --approval-mode or --yolo it doesn't even offer the tools that would need to",
  explainExit,
  waiting: () => "no", // it retries a bounded number of times, then says what failed
};

function explainExit({ code, signal }: Exit, stderr: string, resume: Resume | undefined): ExitTrouble | undefined {
  const said = plainText(stderr);
  if (signal !== undefined || code === 0) return undefined;
  if (code === 42 && resume !== undefined) return deadToken("gemini", resume);
  if (Object.hasOwn(exits, code)) return { message: said, ...(exits[code] as Omit<ExitTrouble, "message">) };
  // An API failure exits with the HTTP status modulo 256; what lies below 144 is a signal's 128+N.
  const httpStatus = code >= 144 && code < 256 ? code + 256 : undefined;
  if (httpStatus === undefined) return undefined;
  return {
    category: categoryOfStatus(httpStatus),
    httpStatus,
    message: `the model's server answered ${httpStatus}: ${said}`,
  };
}

const exits: Readonly<Record<number, Omit<ExitTrouble, "message">>> = {
  41: { category: "auth", remedy: "set GEMINI_API_KEY, or choose how to log in with `gemini` in a terminal" },
  42: { category: "other", remedy: "check the prompt and the arguments of this agent" },
  44: { category: "process", remedy: "check gemini's sandbox settings" },
  52: { category: "other", remedy: "repair gemini's settings.json" },
  53: { category: "other", remedy: "raise maxSessionTurns in gemini's settings" },
  54: { category: "process" },
  55: { category: "other", remedy: "set GEMINI_CLI_TRUST_WORKSPACE=true, or add --skip-trust to the agent's command" },
};
