import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach } from "vitest";
import type { AppError } from "../../src/contract/errors.ts";
import { AgentEvent } from "../../src/contract/events.ts";
import type { Session } from "../../src/contract/sessions/session.ts";
import type { OpenOptions } from "../../src/core/protocols/protocol.ts";
import { restProtocol } from "../../src/core/protocols/rest/session.ts";
import { FakeClock } from "./fake-clock.ts";
import { EventReader, openOptions } from "./scripted-agent.ts";

export interface ModelRequest {
  url: string | undefined;
  authorization: string | undefined;
  body: { model: string; messages: { role: string; content: unknown }[]; stream: boolean; stream_options?: unknown };
}
export type Script = (response: ServerResponse, asked: ModelRequest) => void;

const servers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of servers.splice(0)) await stop();
});

/** A model's server on loopback that answers the first request by the first script, and so on. */
export async function serve(...scripts: Script[]) {
  const asked: ModelRequest[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      const { authorization } = request.headers;
      const one = { url: request.url, authorization, body: JSON.parse(text) };
      asked.push(one);
      const script = scripts.shift();
      if (script === undefined) response.writeHead(599).end("not in the script");
      else script(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stopServer = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  servers.push(stopServer);
  return {
    asked,
    stop: stopServer,
    config: { base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
  };
}

export const streaming: Script = (response) => response.writeHead(200, { "content-type": "text/event-stream" });
export const delta = (fields: object) => ({ choices: [{ index: 0, delta: fields, finish_reason: null }] });
export const text = (content: string) => delta({ content });
export const stop = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };

/** Streams the chunks as one would expect, [DONE] included. */
export const says =
  (...chunks: object[]): Script =>
  (response) => {
    streaming(response, {} as ModelRequest);
    for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end("data: [DONE]\n\n");
  };
export const refuses =
  (status: number, body: unknown, headers: Record<string, string> = {}): Script =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };

export async function talk(config: object, options: Partial<OpenOptions> = {}, signal = new AbortController().signal) {
  const clock = new FakeClock();
  const written: string[] = [];
  const launch = () => Promise.reject(new Error("there is no process"));
  const full = { api_key_env: "KEY", ...config };
  const write = (text: string, file?: "stderr") => void (file === undefined && written.push(text));
  const wanted = openOptions({ config: full, model: "m1", env: { KEY: "sk-secret" }, write, ...options });
  const session = await restProtocol(clock, () => 1).open(launch, wanted, signal);
  const reader = new EventReader(session);
  return {
    session,
    clock,
    reader,
    stdout: () => written.join(""),
    /** Sends the prompt and returns the events of its turn. */
    async turn(prompt: string): Promise<AgentEvent[]> {
      const from = reader.seen.length;
      await send(session, prompt);
      await reader.until("complete");
      const events = reader.seen.slice(from);
      for (const event of events) AgentEvent.parse(event);
      return events.filter((event) => event.type !== "session_status" && event.type !== "config_options");
    },
  };
}

export const send = (session: Session, text: string) =>
  session.send({ type: "prompt", promptId: "p", content: [{ type: "text", text }], delivery: "queue" });
export const textOf = (events: AgentEvent[], type: "message_chunk" | "reasoning" = "message_chunk") =>
  events.flatMap((event) => (event.type === type ? [event.text] : [])).join("");
export const codeOf = (error: unknown) => (error as AppError).code;
export const settled = () => new Promise((resolve) => setImmediate(resolve));
