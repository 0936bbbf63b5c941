import {
  type AgentContext,
  type McpServer,
  RequestError,
  type StopReason,
  type ToolKind,
} from "@agentclientprotocol/sdk";
import { messageOf } from "../../contract/errors.ts";
import { runScript } from "../directives/directives.ts";
import { show } from "../show.ts";
import { Cancelled, newId, type Stage, Turn } from "../turn.ts";
import type { Conversation, ConversationFiles } from "./conversation-file.ts";
import { History } from "./history.ts";
import { type Prompt, recall } from "./prompt.ts";
import { initialSettings, type Settings } from "./settings.ts";

interface SessionOptions {
  cwd: string;
  mcpServers: readonly McpServer[];
  files: ConversationFiles;
  /** An earlier conversation to go on with. */
  earlier?: Conversation;
}

/** One conversation: its memory, its settings, and at most one turn at a time. */
export class DemoSession {
  readonly id: string;
  readonly cwd: string;
  readonly history: History;
  readonly alwaysAllowed = new Set<ToolKind>();
  settings: Settings;
  costUsd = 0;
  readonly #mcpServers: readonly McpServer[];
  readonly #files: ConversationFiles;
  #working: AbortController | undefined;

  constructor({ cwd, mcpServers, files, earlier }: SessionOptions) {
    this.id = earlier?.sessionId ?? newId("demo");
    this.cwd = cwd;
    this.history = new History(earlier?.entries);
    this.settings = earlier ? { mode: earlier.mode, model: earlier.model } : initialSettings;
    this.#mcpServers = mcpServers;
    this.#files = files;
  }

  /** Everything asked before the prompt that is being answered. */
  earlierPrompts(): string[] {
    return this.history.prompts().slice(0, this.#working ? -1 : undefined);
  }

  mcpServer(name: string): McpServer {
    const server = this.#mcpServers.find((candidate) => candidate.name === name);
    if (server) return server;
    const known = this.#mcpServers.map((candidate) => candidate.name).join(", ") || "none";
    throw new Error(`no MCP server ${name} in this session (there is: ${known})`);
  }

  async prompt(prompt: Prompt, client: AgentContext, gone: AbortSignal, stage: Stage) {
    if (this.#working) throw RequestError.invalidRequest({ sessionId: this.id }, "a turn is running already");
    const working = new AbortController();
    this.#working = working;
    gone.addEventListener("abort", () => working.abort(new Cancelled()), { once: true });
    const turn = new Turn(this, prompt, client, working.signal, stage);
    const content = { type: "text" as const, text: prompt.text };
    this.history.add({ sessionUpdate: "user_message_chunk", content, messageId: newId("msg") });
    this.save(); // before the turn, so that a crash in it does not lose the prompt
    try {
      const stopReason = await play(turn);
      if (turn.isLast) stage.output.afterNextWrite(() => process.exit(0));
      return { stopReason, usage: turn.usage() };
    } finally {
      this.#working = undefined;
      this.save();
    }
  }

  cancel(): void {
    this.#working?.abort(new Cancelled());
  }

  /** A home that can't be written costs the memory of later processes, not this conversation. */
  save(): void {
    try {
      this.#files.save({ sessionId: this.id, ...this.settings, entries: this.history.entries });
    } catch (error) {
      process.stderr.write(`demo agent: this conversation can't be resumed later: ${messageOf(error)}\n`);
    }
  }
}

async function play(turn: Turn): Promise<StopReason> {
  const { wants } = turn.prompt;
  try {
    if (wants.type === "script") return await runScript(turn, wants.steps);
    if (wants.type === "recall") await turn.say(recall(turn.session.earlierPrompts()));
    else await show(turn);
    return "end_turn";
  } catch (error) {
    if (error instanceof Cancelled) return "cancelled";
    throw error;
  }
}
