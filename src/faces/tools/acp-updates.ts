import type {
  SessionConfigOption,
  SessionUpdate,
  ToolCallContent,
  ToolCallStatus,
  ToolCallUpdate,
  ToolKind,
} from "@agentclientprotocol/sdk";
import type { AgentEvent, Body, ConfigOption, EventOf, Tool } from "../../contract/events.ts";
import { textOf } from "../../contract/words/content.ts";
import { revealed, revealedLine } from "../../lib/text/printable.ts";

/** What an editor is told of an event; most are one update, some none. Pure: a table tests it. */
export function updatesOf(event: AgentEvent): SessionUpdate[] {
  switch (event.type) {
    case "message_chunk":
    case "reasoning": {
      // What takes an earlier text's place can't be said in this protocol, and was said already.
      if (event.replace || event.text === "") return [];
      const sessionUpdate = event.type === "reasoning" ? "agent_thought_chunk" : "agent_message_chunk";
      return [{ sessionUpdate, content: { type: "text", text: event.text }, messageId: event.messageId }];
    }
    case "tool_call": {
      const { toolCallId, toolTitle: title, toolName: name, toolArgs: rawInput } = event;
      const { status, content, locations } = toolOf(event);
      const kind = kindOf(event.kind);
      return [{ sessionUpdate: "tool_call", toolCallId, title, name, kind, status, rawInput, content, locations }];
    }
    case "tool_update": {
      const { toolCallId, toolTitle: title } = event;
      return [{ sessionUpdate: "tool_call_update", toolCallId, title, ...toolOf(event) }];
    }
    case "plan": {
      const entries = event.entries.flatMap(({ text, status, priority }) =>
        status === "cancelled" ? [] : [{ content: text, status, priority: priorityOf(priority) }],
      );
      return [{ sessionUpdate: "plan", entries }];
    }
    case "commands":
      return [{ sessionUpdate: "available_commands_update", availableCommands: event.commands.map(commandOf) }];
    case "config_options":
      return [{ sessionUpdate: "config_option_update", configOptions: configOptions(event.options) }];
    case "context_window":
      return [{ sessionUpdate: "usage_update", used: event.used, size: event.size }];
    case "session_status":
      return "title" in event && event.title !== undefined
        ? [{ sessionUpdate: "session_info_update", title: event.title }]
        : [];
    default:
      return [];
  }
}

/** What is to be allowed, all of it: an editor shows what it is handed, and knows nothing of texts that lie elsewhere. */
export function askedOf(request: EventOf<"permission_request">, read: (body: Body) => string): ToolCallUpdate {
  const { pendingId, toolCallId = pendingId, permissionTitle: title, actionType, actionDetails, reason } = request;
  const { command, diffs, paths = [], url } = actionDetails;
  const whole = diffs?.map((diff) => ({ ...diff, unified: read(diff.unified) }));
  const texts = [
    revealed(reason ?? ""),
    command === undefined ? "" : fenced("sh", command),
    revealedLine(url ?? ""),
    whole === undefined ? paths.map(revealedLine).join("\n") : "",
    ...(whole ?? []).map(({ path, unified }) => `${revealedLine(path)}\n${fenced("diff", unified)}`),
  ];
  return {
    toolCallId,
    title: revealed(title),
    kind: kindOf(actionType),
    status: "pending",
    rawInput: whole === undefined ? actionDetails : { ...actionDetails, diffs: whole },
    content: texts.filter((text) => text !== "").map(textContent),
  };
}

/** Its fence is longer than any in it: what stands inside can't end it and go on as other words. */
function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${revealed(text)}\n${fence}`;
}

/** In a conversation that is told again, also what the person said. */
export function replayOf(event: AgentEvent): SessionUpdate[] {
  if (event.type !== "user_message") return updatesOf(event);
  const content = { type: "text" as const, text: textOf(event.content) };
  return [{ sessionUpdate: "user_message_chunk", content, messageId: event.promptId }];
}

export function configOptions(options: readonly ConfigOption[]): SessionConfigOption[] {
  return options.flatMap(({ id, name, category, value, choices }): SessionConfigOption[] => {
    const about = { id, name, category: categoryOf(category) };
    if (typeof value === "boolean") return [{ ...about, type: "boolean", currentValue: value }];
    if (choices === undefined) return [];
    const offered = choices.map(({ value, label, description }) => ({ value, name: label, description }));
    return [{ ...about, type: "select", currentValue: value, options: offered }];
  });
}

const categoryOf = (category: ConfigOption["category"]) =>
  category === "effort" ? "thought_level" : category === "other" ? undefined : category;

function toolOf({
  toolStatus,
  result,
  diffs = [],
  locations,
  outputChunk,
}: Omit<Partial<EventOf<"tool_update">>, "type">) {
  const texts = [
    ...diffs.map(({ unified }) => `\`\`\`diff\n${bodyOf(unified)}\n\`\`\``),
    bodyOf(result),
    outputChunk ?? "",
  ];
  const content = texts.filter((text) => text !== "").map(textContent);
  return {
    ...(toolStatus === undefined ? {} : { status: statuses[toolStatus] }),
    ...(content.length === 0 ? {} : { content }),
    ...(locations === undefined ? {} : { locations: [...locations] }),
  };
}

/** A long text lies in a file of the run; its beginning tells enough here. */
const bodyOf = (body: Body | undefined): string =>
  body === undefined ? "" : typeof body === "string" ? body : `${body.head}\n… ${body.bytes} bytes in all`;

const textContent = (text: string): ToolCallContent => ({ type: "content", content: { type: "text", text } });

const statuses: Readonly<Record<Tool["toolStatus"], ToolCallStatus>> = {
  pending: "pending",
  running: "in_progress",
  completed: "completed",
  failed: "failed",
  denied: "failed",
  cancelled: "failed",
};

const kinds: readonly ToolKind[] = ["read", "edit", "delete", "move", "search", "execute", "think", "fetch"];
const kindOf = (kind: Tool["kind"]): ToolKind => kinds.find((known) => known === kind) ?? "other";

const priorities = ["high", "medium", "low"] as const;
const priorityOf = (word: string | undefined) => priorities.find((known) => known === word) ?? "medium";

const commandOf = ({ name, description = "", inputHint }: EventOf<"commands">["commands"][number]) => ({
  name,
  description,
  ...(inputHint === undefined ? {} : { input: { hint: inputHint } }),
});
