import type { Command } from "../commands.ts";
import type { AgentEvent } from "../events.ts";

/** One conversation with one agent, whatever it speaks. */
export interface Session {
  /** Everything the agent says, in order, for one reader. Ends when the conversation is closed. */
  readonly events: AsyncIterable<AgentEvent>;
  /** Resolves when the agent was told; effects arrive as events. */
  send(command: Command): Promise<void>;
  close(reason: string): Promise<void>;
}

export interface Frame<Message> {
  dir: "sent" | "received";
  message: Message;
}

/** One per protocol. Pure: no I/O, no clock, no `this`. Works on received frames alone too (logs made elsewhere). */
export interface Translator<Message, State> {
  initial(): State;
  step(state: State, frame: Frame<Message>): readonly [State, readonly AgentEvent[]];
  /** Closes what a crash left open: dangling tools, requests, the turn. */
  finish(state: State, reason: string): readonly AgentEvent[];
}
