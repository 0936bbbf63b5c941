import { AppError } from "../../contract/errors.ts";
import type { AgentEvent } from "../../contract/events.ts";
import type { Translator } from "../../contract/sessions/session.ts";
import type { Line } from "../../lib/text/lines.ts";
import { Documents } from "./headless/documents.ts";
import { parseLine } from "./link.ts";

/** An agent's saved output, line by line, as events: the agent's side alone. */
export interface LogReader {
  read(line: Line): readonly AgentEvent[];
  /** The same for a message that is parsed already. */
  translate(message: object): readonly AgentEvent[];
  /** The log ends here: what it left open is closed. */
  end(reason: string): readonly AgentEvent[];
}

const loaders: Readonly<Record<string, () => Promise<LogReader>>> = {
  acp: async () => reader("acp", (await import("./acp/translate.ts")).acpTranslator),
  "claude-code": async () =>
    reader("claude-code", (await import("./claude/translate/translate.ts")).claudeTranslator()),
  codex: async () => reader("codex", (await import("./codex/translate.ts")).codexTranslator),
  "codex-exec": async () =>
    reader("codex-exec", (await import("./headless/codex-exec/translate.ts")).codexExecTranslator),
  gemini: async () => reader("gemini", (await import("./headless/gemini/translate.ts")).geminiTranslator),
  opencode: async () => reader("opencode", (await import("./headless/opencode/translate.ts")).opencodeTranslator),
};

export const readableProtocols: readonly string[] = Object.keys(loaders);

export async function openLogReader(protocol: string): Promise<LogReader> {
  const load = loaders[protocol];
  if (load !== undefined) return load();
  throw new AppError(
    "usage.invalid",
    `protocol ${protocol}: has no saved streams; choose ${readableProtocols.join(", ")}`,
  );
}

function reader<Message, State>(protocol: string, translator: Translator<Message, State>): LogReader {
  let state = translator.initial();
  const translate = (message: Message): readonly AgentEvent[] => {
    const [next, events] = translator.step(state, { dir: "received", message });
    state = next;
    return events;
  };
  const documents = new Documents();
  const read = (line: Line): readonly AgentEvent[] => {
    const parsed = parseLine<Message>(protocol, line);
    if ("unmapped" in parsed) return parsed.unmapped === undefined ? [] : [parsed.unmapped];
    return translate(parsed.message);
  };
  return {
    read: (line) => documents.take(line).flatMap(read),
    translate: (message) => translate(message as Message),
    end: (reason) => [...documents.end().flatMap(read), ...translator.finish(state, reason)],
  };
}
