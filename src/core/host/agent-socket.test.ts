import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { agentSocket } from "../../../test/support/agent-socket.ts";
import type { AgentReply } from "../../contract/agent-socket.ts";
import { AppError } from "../../contract/errors.ts";
import { linesOf } from "../../lib/text/lines.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const refuse = async () => {
  throw new AppError("command.unsupported", "not in this test");
};

/** A client that knows nothing but the wire. */
class RawClient {
  readonly socket: Socket;
  readonly #replies: AsyncGenerator<AgentReply>;

  constructor(path: string) {
    this.socket = connect(path);
    this.#replies = parsed(this.socket);
    closing.push(() => this.socket.destroy());
  }

  send(...requests: unknown[]): void {
    for (const request of requests) {
      this.socket.write(`${typeof request === "string" ? request : JSON.stringify(request)}\n`);
    }
  }

  async next(): Promise<AgentReply> {
    const { value } = await this.#replies.next();
    return value;
  }

  async ask(request: unknown): Promise<AgentReply> {
    this.send(request);
    return this.next();
  }
}

async function* parsed(socket: Socket): AsyncGenerator<AgentReply> {
  for await (const lines of linesOf(socket)) {
    for (const line of lines) if ("text" in line) yield JSON.parse(line.text);
  }
}

const codeOf = (reply: AgentReply) => ("error" in reply ? reply.error.code : reply.result);

describe("the agent's socket", () => {
  test("does what the table has, with its defaults, and says what came of it", async () => {
    const given: unknown[] = [];
    const { path } = await agentSocket({
      bus_post: async (params) => {
        given.push(params);
        return { id: "m1" };
      },
    });
    const client = new RawClient(path);
    const reply = await client.ask({ id: 7, method: "bus_post", params: { body: "hello" } });
    expect(reply).toEqual({ id: 7, result: { id: "m1" } });
    expect(given).toEqual([{ body: "hello", type: "INFO", parents: [], links: [] }]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  const refused: Record<string, [unknown, string, RegExp]> = {
    "a command that is for people": [
      { id: 1, method: "answer", params: { pendingId: "p0" } },
      "command.unsupported",
      /not for an agent; there is bus_post, /,
    ],
    "a stop": [{ id: 1, method: "stop" }, "command.unsupported", /not for an agent/],
    "a name that every object has": [{ id: 1, method: "toString" }, "command.unsupported", /not for an agent/],
    "a host's command in its own form": [{ id: 1, command: { type: "stop" } }, "usage.invalid", /not a request/],
    "another run's name on a message": [
      { id: 1, method: "bus_post", params: { body: "x", run: "20260101-0000000000-0000001-0001" } },
      "usage.invalid",
      /bus_post: .*run/,
    ],
    "another task's bus": [
      { id: 1, method: "bus_read", params: { project: "p", task: "other" } },
      "usage.invalid",
      /bus_read: .*project/,
    ],
    "a parent of one's choice": [
      { id: 1, method: "spawn_run", params: { prompt: "x", parentRunId: "y" } },
      "usage.invalid",
      /spawn_run: /,
    ],
    "permissions of one's choice": [
      { id: 1, method: "spawn_run", params: { prompt: "x", permissions: "allow" } },
      "usage.invalid",
      /spawn_run: /,
    ],
    "parameters of a wrong kind": [
      { id: 1, method: "bus_read", params: { limit: 1e9 } },
      "usage.invalid",
      /bus_read: limit: /,
    ],
    "no JSON": ["{", "usage.invalid", /not a request/],
    "a list": ["[]", "usage.invalid", /not a request/],
  };
  test.each(Object.entries(refused))("refuses %s", async (_, [request, code, message]) => {
    const { path } = await agentSocket();
    const reply = await new RawClient(path).ask(request);
    expect(reply).toMatchObject({ error: { code, message: expect.stringMatching(message) } });
  });

  test("a call that fails says so, and the connection goes on", async () => {
    const { path } = await agentSocket({
      bus_read: async () => {
        throw new TypeError("a bug");
      },
      task_status: refuse,
    });
    const client = new RawClient(path);
    expect(await client.ask({ id: 1, method: "bus_read" })).toEqual({
      id: 1,
      error: { code: "internal", message: "a bug" },
    });
    expect(await client.ask({ id: 2, method: "task_status" })).toMatchObject({
      id: 2,
      error: { code: "command.unsupported", message: "not in this test" },
    });
  });

  test("a question doesn't hold up the rest, and is taken back when the asker is gone", async () => {
    let takenBack: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => {
      takenBack = resolve;
    });
    const { path } = await agentSocket({
      ask_user: (_, signal) =>
        new Promise(() => {
          signal.addEventListener("abort", () => takenBack?.());
        }),
      bus_post: async () => ({ id: "m1" }),
    });
    const client = new RawClient(path);
    client.send({ id: 1, method: "ask_user", params: { question: "?" } });
    expect(await client.ask({ id: 2, method: "bus_post", params: { body: "x" } })).toMatchObject({ id: 2 });
    client.socket.end();
    await gone;
  });

  test("too much at once is refused, too long a line as well", async () => {
    const { path } = await agentSocket({ ask_user: () => new Promise(() => {}) });
    const client = new RawClient(path);
    for (let id = 1; id <= 33; id += 1) client.send({ id, method: "ask_user", params: { question: "?" } });
    const reply = await client.next();
    expect([reply.id, codeOf(reply)]).toEqual([33, "limit.exceeded"]);
    client.send("x".repeat(9 * 1024 * 1024));
    expect(await client.next()).toMatchObject({ id: -1, error: { code: "usage.invalid" } });
  });

  test("is gone with its run, and so are those who wait", async () => {
    let waits: (() => void) | undefined;
    const waiting = new Promise<void>((resolve) => {
      waits = resolve;
    });
    const { path, server } = await agentSocket({
      ask_user: () => {
        waits?.();
        return new Promise(() => {});
      },
    });
    const client = new RawClient(path);
    client.send({ id: 1, method: "ask_user", params: { question: "?" } });
    await waiting;
    server.close();
    await once(client.socket.resume(), "close");
    expect(existsSync(path)).toBe(false);
  });

  test("speaks MCP too, on the same lines", async () => {
    const { path } = await agentSocket({ bus_post: async () => ({ id: "m1" }) });
    const client = new RawClient(path);
    const mcp = (id: number, method: string, params: object) => ({ jsonrpc: "2.0", id, method, params });
    expect(await client.ask({ id: 7, method: "bus_post", params: { body: "x" } })).toEqual({
      id: 7,
      result: { id: "m1" },
    });
    expect(await client.ask(mcp(1, "initialize", { protocolVersion: "2025-06-18" }))).toMatchObject({
      jsonrpc: "2.0",
      result: { serverInfo: { name: "coxswain" } },
    });
    expect(await client.ask(mcp(2, "tools/call", { name: "bus_post", arguments: { body: "x" } }))).toMatchObject({
      id: 2,
      result: { content: [{ text: expect.stringContaining("m1") }] },
    });
    expect(await client.ask("{")).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32700 } });
    expect(await client.ask("[]")).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32600 } });
    expect(await client.ask("x".repeat(9 * 1024 * 1024))).toMatchObject({ id: null, error: { code: -32600 } });
  });
});
