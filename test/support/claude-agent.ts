import type { Answer, Command } from "../../src/contract/commands.ts";
import { claudeCode } from "../../src/core/protocols/claude/session.ts";
import type { OpenOptions } from "../../src/core/protocols/protocol.ts";
import { objectOf } from "../../src/core/protocols/read.ts";
import { FakeClock } from "./fake-clock.ts";
import { EventReader, openOptions, ScriptedAgent } from "./scripted-agent.ts";

export type Wire = Record<string, unknown>;
export const subtypeOf = (message: Wire) => objectOf(message.request).subtype;
export const isUser = (message: Wire) => message.type === "user";
export const success = (request_id: unknown, response: object) => ({
  type: "control_response",
  response: { subtype: "success", request_id, response },
});

/** Answers the handshake as the CLI does; what follows is the test's. */
export function agent(script: (message: Wire, agent: ScriptedAgent) => void = () => {}): ScriptedAgent {
  return new ScriptedAgent((message, agent) => {
    if (subtypeOf(message) === "initialize") {
      const models = [{ value: "default", resolvedModel: "opus-5", displayName: "Default" }];
      agent.say(
        success(message.request_id, { commands: [{ name: "cost" }], models, current_permission_mode: "default" }),
      );
    }
    script(message, agent);
  });
}

export async function openClaude(script: ScriptedAgent, options: Partial<OpenOptions> = {}, clock = new FakeClock()) {
  const session = await claudeCode(clock).open(script.launch, openOptions(options), new AbortController().signal);
  return { session, events: new EventReader(session) };
}

export const prompt = (text: string, delivery: "queue" | "steer" = "queue"): Command => ({
  type: "prompt",
  promptId: "p",
  content: [{ type: "text", text }],
  delivery,
});
export const answer = (pendingId: string, given: Answer): Command => ({ type: "answer", pendingId, answer: given });

export const begins = { type: "system", subtype: "init", session_id: "s", model: "opus-5" };
export const says = (text: string) => ({
  type: "assistant",
  message: { id: "m", model: "opus-5", content: [{ type: "text", text }] },
});
export const ends = { type: "result", subtype: "success", is_error: false, num_turns: 1, usage: {} };
export const stops = {
  ...ends,
  is_error: true,
  subtype: "error_during_execution",
  terminal_reason: "aborted_streaming",
};
export const asks = (id: string, fields: object = {}) => ({
  type: "control_request",
  request_id: id,
  request: {
    subtype: "can_use_tool",
    tool_name: "Bash",
    tool_use_id: `tool-${id}`,
    input: { command: "ls" },
    permission_suggestions: [{ type: "addRules", rules: [{ toolName: "Bash" }], destination: "localSettings" }],
    ...fields,
  },
});
export const responseTo = (script: ScriptedAgent, id: string) =>
  script
    .hears((message) => objectOf(message.response).request_id === id)
    .then((message) => objectOf(objectOf(message.response).response));
