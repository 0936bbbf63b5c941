import type { OwnTools, ToolConnection } from "../own-tools/own-tools.ts";
import { type Json, objectOf, textOf } from "../read.ts";
import { type ClaudeMessage, controlError, controlSuccess } from "./messages.ts";

/** What the CLI hears from its server for a message that has no answer. */
const HEARD = { jsonrpc: "2.0", id: 0, result: {} };

/** The run's own tools in the conversation itself: MCP messages travel as control requests, both ways. No process, no network. */
export class HostedTools {
  readonly name: string;
  readonly #connection: ToolConnection;
  readonly #wire: { reply(message: ClaudeMessage): void; ask(request: Json): void };

  constructor(tools: OwnTools, wire: { reply(message: ClaudeMessage): void; ask(request: Json): void }) {
    this.name = tools.name;
    this.#connection = tools.connect();
    this.#wire = wire;
  }

  /** Whether this message was for them; then it is dealt with. */
  takes({ type, request_id, request }: ClaudeMessage): boolean {
    const { subtype, server_name, message } = objectOf(request);
    if (type !== "control_request" || subtype !== "mcp_message" || server_name !== this.name) return false;
    void this.#pass(textOf(request_id) ?? "", message);
    return true;
  }

  close(): void {
    this.#connection.close();
  }

  async #pass(requestId: string, message: unknown): Promise<void> {
    let answer: object | undefined;
    await this.#connection.receive(message, (said) => {
      if ("id" in said) answer = said;
      else this.#wire.ask({ subtype: "mcp_message", server_name: this.name, message: said });
    });
    const isTakenBack = answer === undefined && objectOf(message).id !== undefined;
    this.#wire.reply(
      isTakenBack
        ? controlError(requestId, "the call was taken back")
        : controlSuccess(requestId, { mcp_response: answer ?? HEARD }),
    );
  }
}
