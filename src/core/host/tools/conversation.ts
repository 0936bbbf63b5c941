import { messageOf } from "../../../contract/errors.ts";
import { OWN_TOOLS } from "../../../contract/requests/policy.ts";
import { VERSION } from "../../../lib/base/version.ts";
import {
  answer,
  type Fields,
  failure,
  heard,
  type Id,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isFields,
  isId,
  METHOD_NOT_FOUND,
  notice,
  type Said,
} from "./json-rpc.ts";
import { BEAT_MS, MAX_AT_ONCE } from "./limits.ts";
import type { AgentCalls } from "./perform.ts";
import tools from "./tool-list.json" with { type: "json" };

export type Send = (message: Said) => void;

/** Newest first: a client that wants none of them is offered the newest, and decides. */
const versions: readonly unknown[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];

/**
 * The run's own tools, over MCP. How messages come and go is the affair of whoever has the connection: a socket, the agent's
 * stdin and stdout, or HTTP, where several clients share one conversation and each has a name.
 */
export class ToolConversation {
  readonly #calls: AgentCalls;
  readonly #beatMs: number;
  readonly #underWay = new Map<string, AbortController>();
  #isClosed = false;

  constructor(calls: AgentCalls, { beatMs = BEAT_MS }: { beatMs?: number } = {}) {
    this.#calls = calls;
    this.#beatMs = beatMs;
  }

  /**
   * Never rejects; resolves when everything is said about this message. That is nothing, if it is a notice, or a call that was
   * taken back.
   */
  async receive(message: unknown, send: Send, client = ""): Promise<void> {
    const said = heard(message);
    switch (said.kind) {
      case "request":
        if (said.method === "tools/call") return this.#call(said.id, said.params, send, client);
        return send(replyTo(said.id, said.method, said.params));
      case "notice":
        if (said.method === "notifications/cancelled") this.#underWay.get(key(client, said.params.requestId))?.abort();
        return;
      case "invalid":
        return send(failure(null, INVALID_REQUEST, "not a message of JSON-RPC 2.0"));
      case "answer":
    }
  }

  /** Takes back whatever is under way. */
  close(): void {
    this.#isClosed = true;
    for (const call of this.#underWay.values()) call.abort();
  }

  async #call(id: Id, { name, arguments: given = {}, _meta }: Fields, send: Send, client: string): Promise<void> {
    const tool = tools.find((known) => known.name === name);
    if (tool === undefined) return send(failure(id, INVALID_PARAMS, `no such tool; there is ${names}`));
    const call = this.#begin(key(client, id));
    if (call === undefined)
      return send(refusal(id, `more than ${MAX_AT_ONCE} requests at once, or two of the same id`));
    const beat = this.#beat(_meta, send);
    try {
      const { perform } = await import("./perform.ts");
      if (call.signal.aborted) return;
      const result = await perform(this.#calls, tool.name, given, call.signal);
      if (!call.signal.aborted) send(answer(id, said(JSON.stringify(result, null, 2))));
    } catch (error) {
      if (!call.signal.aborted) send(refusal(id, messageOf(error)));
    } finally {
      clearInterval(beat);
      this.#underWay.delete(key(client, id));
    }
  }

  #begin(name: string): AbortController | undefined {
    if (this.#isClosed || this.#underWay.size >= MAX_AT_ONCE || this.#underWay.has(name)) return undefined;
    const call = new AbortController();
    this.#underWay.set(name, call);
    return call;
  }

  /** To whoever asked to hear that it goes on. */
  #beat(meta: unknown, send: Send): NodeJS.Timeout | undefined {
    const progressToken = isFields(meta) ? meta.progressToken : undefined;
    if (!isId(progressToken)) return undefined;
    return setInterval(() => {
      send(notice("notifications/progress", { progressToken, progress: Date.now(), message: "waiting" }));
    }, this.#beatMs);
  }
}

function replyTo(id: Id, method: string, { protocolVersion }: Fields): Said {
  switch (method) {
    case "initialize":
      return answer(id, {
        protocolVersion: versions.includes(protocolVersion) ? protocolVersion : versions[0],
        capabilities: { tools: {} },
        serverInfo: { name: OWN_TOOLS, version: VERSION },
      });
    case "ping":
      return answer(id, {});
    case "tools/list":
      return answer(id, { tools });
    default:
      return failure(id, METHOD_NOT_FOUND, `${method.slice(0, 60)}: not offered here`);
  }
}

const names = tools.map(({ name }) => name).join(", ");
const key = (client: string, id: unknown) => JSON.stringify([client, id]);
const said = (text: string) => ({ content: [{ type: "text", text }] });
/** An answer for the model to read, and not for its program: it can do better the next time. */
const refusal = (id: Id, why: string) => answer(id, { ...said(why), isError: true });
