import type { AgentEvent } from "../../../../contract/events.ts";
import { closing, track } from "../../../../contract/sessions/open-items.ts";
import type { Translator } from "../../../../contract/sessions/session.ts";
import { numberOf, objectOf, textOf } from "../../read.ts";
import { opened, renamed } from "../conversation.ts";
import { type ClaudeMessage, wireTypeOf, wireTypes } from "../messages.ts";
import { changed, commandsEvent, offered } from "../options.ts";
import { answered, asked, withdrawn } from "./asks.ts";
import { result } from "./result.ts";
import { assistant, streamed } from "./say.ts";
import {
  andThen,
  beginTurn,
  type ClaudeState,
  ensureTurn,
  initial,
  type Opening,
  type Step,
  unmapped,
} from "./state.ts";
import { system } from "./system.ts";
import { toolResults } from "./tool-results.ts";

/**
 * A message sent while a turn is open starts none: the CLI either takes it up in the running turn (between two tool
 * calls) or runs it afterwards, and then a turn begins at the end of the running one. Either way each turn has one
 * complete, and whose message it answers is told by uuid.
 */
export function claudeTranslator(opening: Opening = { resumed: false }): Translator<ClaudeMessage, ClaudeState> {
  return {
    initial: () => initial(opening),
    step(state, { dir, message }) {
      const [next, events] = dir === "sent" ? sent(state, message) : received(state, message);
      if (events.length === 0) return [next, events];
      const open = events.reduce(track, next.open);
      return [open === next.open ? next : { ...next, open }, events];
    },
    finish: (state, reason) => closing(state.open, reason, state.turn?.interrupted ? "interrupted" : "failed"),
  };
}

function sent(state: ClaudeState, message: ClaudeMessage): Step {
  switch (message.type) {
    case "user": {
      const uuid = textOf(message.uuid);
      if (state.turn === undefined) return beginTurn(state, uuid);
      return [uuid === undefined ? state : { ...state, waiting: [...state.waiting, uuid] }, []];
    }
    case "control_request": {
      const request = objectOf(message.request);
      const issued = new Map(state.issued).set(textOf(message.request_id) ?? "", request);
      const isInterrupt = request.subtype === "interrupt" && state.turn !== undefined;
      const turn = isInterrupt && state.turn ? { ...state.turn, interrupted: true } : state.turn;
      return [{ ...state, issued, turn }, []];
    }
    case "control_response":
      return answered(state, message);
    default:
      return [state, []];
  }
}

function received(state: ClaudeState, message: ClaudeMessage): Step {
  const sessionId = textOf(message.session_id);
  const moved = state.session !== undefined && sessionId !== undefined && sessionId !== state.session.id;
  return moved ? andThen(renamed(state, sessionId), (next) => translate(next, message)) : translate(state, message);
}

function translate(state: ClaudeState, message: ClaudeMessage): Step {
  switch (message.type) {
    case "stream_event":
      return wireTypes[wireTypeOf(message)] === undefined ? [state, [unmapped(message)]] : streamed(state, message);
    case "assistant":
      return assistant(state, message);
    case "user":
      return toolResults(state, message);
    case "result":
      return result(state, message);
    case "system":
      return system(state, message);
    case "control_request":
      return controlRequested(state, message);
    case "control_response":
      return responded(state, message);
    case "control_cancel_request":
      return withdrawn(state, textOf(message.request_id) ?? "");
    case "command_lifecycle":
      return lifecycle(state, message);
    case "rate_limit_event":
      return [state, [rateLimit(message)]];
    case "auth_status": {
      const text = textOf(message.error);
      return [state, text === undefined ? [] : [{ type: "notice", turn: state.turn?.id, code: "auth_status", text }]];
    }
    case "conversation_reset": {
      const text = "The conversation was cleared; the agent remembers nothing of it.";
      return [state, [{ type: "notice", turn: state.turn?.id, code: "conversation_reset", text }]];
    }
    default:
      return [state, wireTypes[wireTypeOf(message)] === undefined ? [unmapped(message)] : []];
  }
}

function controlRequested(state: ClaudeState, message: ClaudeMessage): Step {
  const request = objectOf(message.request);
  if (request.subtype !== "can_use_tool" && request.subtype !== "elicitation") {
    return [state, wireTypes[wireTypeOf(message)] === undefined ? [unmapped(message)] : []];
  }
  const isOfTurn = request.subtype === "can_use_tool" && request.agent_id === undefined;
  return andThen(isOfTurn ? ensureTurn(state) : [state, []], (next) => asked(next, message));
}

/** A response to no request of ours is an echo (--replay-user-messages) or a log made elsewhere. */
function responded(state: ClaudeState, message: ClaudeMessage): Step {
  const { request_id, subtype, response } = objectOf(message.response);
  const id = textOf(request_id) ?? "";
  const request = state.issued.get(id);
  if (request === undefined) return [state, []];
  const issued = new Map(state.issued);
  issued.delete(id);
  const next = { ...state, issued };
  if (subtype !== "success") return [next, []];
  const said = objectOf(response);
  switch (request.subtype) {
    case "initialize":
      return andThen(
        andThen(opened(next, textOf(said.claude_code_version)), (known) => offered(known, said)),
        (known) => [known, [commandsEvent(said.commands)]],
      );
    case "set_model":
      return changed(next, { model: textOf(request.model) ?? textOf(said.model) });
    case "set_permission_mode":
      return changed(next, { mode: textOf(said.mode) ?? textOf(request.mode) });
    default:
      return [next, []];
  }
}

/** A message that was withdrawn before it ran gets no result: the next one ends the turn that waits for it. */
function lifecycle(state: ClaudeState, message: ClaudeMessage): Step {
  if (message.state !== "cancelled" && message.state !== "discarded") return [state, []];
  const uuid = textOf(message.command_uuid);
  const turn = state.turn !== undefined && state.turn.uuid === uuid ? { ...state.turn, uuid: undefined } : state.turn;
  return [{ ...state, turn, waiting: state.waiting.filter((waiting) => waiting !== uuid) }, []];
}

const limits: Readonly<Record<string, "ok" | "warning" | "limited">> = {
  allowed: "ok",
  allowed_warning: "warning",
  rejected: "limited",
};

function rateLimit(message: ClaudeMessage): AgentEvent {
  const info = objectOf(message.rate_limit_info);
  const used = numberOf(info.utilization);
  const resets = numberOf(info.resetsAt);
  return {
    type: "rate_limit",
    status: limits[textOf(info.status) ?? ""] ?? "ok",
    scope: textOf(info.rateLimitType),
    usedPercent: used === undefined ? undefined : Math.round(used * 1000) / 10,
    resetsAt: resets === undefined ? undefined : new Date(resets * 1000).toISOString(),
  };
}
