import { z } from "zod";
import { troubleOf } from "../../../core/screens/detect/trouble.ts";
import { questionsIn } from "../../../core/screens/drivers/claude-hooks.ts";
import { promptOf, type Report, type Tier } from "../../../core/screens/state/agent-state.ts";
import { noUsage, type Usage } from "../../../core/screens/state/usage.ts";

const Block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  content: z.unknown().optional(),
});
const Entry = z.looseObject({
  type: z.string(),
  timestamp: z.string().optional(),
  isMeta: z.boolean().optional(),
  isSidechain: z.boolean().optional(),
  isApiErrorMessage: z.boolean().optional(),
  error: z.unknown().optional(),
  costUSD: z.number().optional(),
  durationMs: z.number().optional(),
  message: z
    .looseObject({
      id: z.string().optional(),
      content: z.union([z.string(), z.array(Block)]).optional(),
      stop_reason: z.string().nullish(),
      usage: z.looseObject({}).optional(),
    })
    .optional(),
});
type Entry = z.infer<typeof Entry>;

/** What a line of Claude's conversation log, or of its JSON output, tells. */
export interface LogNews {
  report?: Report;
  lastMessage?: string;
  /** Of one message, told again with each of its parts: the last counts. */
  usage?: { message: string; usage: Usage };
}

/** `tier` is whose line it is: 2 the log, 3 the output. */
export function readClaudeLine(line: unknown, tier: Tier): LogNews {
  const { data: entry } = Entry.safeParse(line);
  if (entry === undefined || entry.isSidechain === true) return {};
  const blocks = blocksOf(entry);
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text ?? ""] : [])).join("\n");
  const source = tier === 2 ? "log" : "stdout";
  const at = entry.timestamp === undefined ? Number.NaN : Date.parse(entry.timestamp);
  const dated = (report: Report | undefined): Report | undefined =>
    report === undefined || Number.isNaN(at) ? report : { ...report, at };
  if (entry.error !== undefined || entry.isApiErrorMessage === true) {
    const detail = text || (typeof entry.error === "string" ? entry.error : JSON.stringify(entry.error ?? ""));
    const trouble = troubleOf(`${detail} ${errorName(entry)}`.trim());
    return { report: dated({ tier, state: "error", cause: `${source}:error`, trouble }) };
  }
  if (entry.type === "user") return { report: dated(readUser(entry, blocks, text, source)) };
  if (entry.type !== "assistant") return {};
  const usage = usageOf(entry);
  return {
    report: dated(readAssistant(entry, blocks, text, tier, source)),
    ...(text === "" ? {} : { lastMessage: text }),
    ...(usage === undefined ? {} : { usage }),
  };
}

const errorName = ({ error }: Entry) => (typeof error === "string" ? `(${error})` : "");

const blocksOf = ({ message }: Entry) =>
  typeof message?.content === "string" ? [{ type: "text", text: message.content }] : (message?.content ?? []);

/** What a person did is beyond doubt, whoever tells it. */
function readUser(
  { isMeta }: Entry,
  blocks: readonly z.infer<typeof Block>[],
  text: string,
  source: string,
): Report | undefined {
  if (isMeta === true || /^<(command-name>|local-command-|bash-)/.test(text)) return undefined;
  const results = blocks.map((block) => (typeof block.content === "string" ? block.content : "")).join("\n");
  const gaveUp =
    /\[Request interrupted by user|User rejected tool use|user doesn't want to (proceed|take this action)/.test(
      `${text}\n${results}`,
    );
  return { tier: 1, state: gaveUp ? "idle" : "working", cause: `${source}:user` };
}

function readAssistant(
  { message }: Entry,
  blocks: readonly z.infer<typeof Block>[],
  text: string,
  tier: Tier,
  source: string,
): Report | undefined {
  const call = blocks.find((block) => block.type === "tool_use");
  if (call?.name === "AskUserQuestion") {
    const prompt = promptOf("question", {
      tool: call.name,
      input: JSON.stringify(call.input ?? {}),
      questions: questionsIn(call.input),
    });
    return { tier, state: "prompt", cause: `${source}:tool(${call.name})`, prompt };
  }
  if (call !== undefined) return { tier, state: "working", cause: `${source}:tool(${call.name})` };
  if (blocks.some((block) => block.type === "thinking")) return { tier, state: "working", cause: `${source}:thinking` };
  // More of the same message may follow, a tool call among it.
  if (text === "" || message?.stop_reason === "tool_use") return undefined;
  return { tier, state: "idle", cause: `${source}:message` };
}

function usageOf({ message, costUSD = 0, durationMs = 0 }: Entry): LogNews["usage"] {
  const counts = message?.usage;
  const number = (name: string) => (typeof counts?.[name] === "number" ? counts[name] : 0);
  const usage: Usage = {
    ...noUsage(),
    input_tokens: number("input_tokens"),
    output_tokens: number("output_tokens"),
    cache_read_tokens: number("cache_read_input_tokens"),
    cache_write_tokens: number("cache_creation_input_tokens"),
    total_cost_usd: costUSD,
    request_count: 1,
    total_api_ms: durationMs,
  };
  if (message?.id === undefined || usage.input_tokens + usage.output_tokens === 0) return undefined;
  return { message: message.id, usage };
}
