import type { Socket } from "node:net";
import {
  type AgentOp,
  type AgentReply,
  AgentRequest,
  type AgentResults,
  agentOps,
  type GivenTo,
  isAgentOp,
} from "../../contract/agent-socket.ts";
import { AppError, messageOf } from "../../contract/errors.ts";
import { type Line, linesOf } from "../../lib/text/lines.ts";
import { openUnixServer, type UnixServer } from "./unix-server.ts";

/** What is done for each operation. The signal aborts when whoever asked is gone. */
export type AgentCalls = {
  readonly [Op in AgentOp]: (params: GivenTo<Op>, signal: AbortSignal) => Promise<AgentResults[Op]>;
};

const MAX_REQUEST_BYTES = 8 * 1024 * 1024;
const MAX_CONNECTIONS = 64;
/** Of one connection. */
const MAX_AT_ONCE = 32;
/** Whoever asks and doesn't read the answers is cut off. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024;

/**
 * The agent's own socket. An agent is not trusted: it gets the operations of the table and nothing else, in bounded numbers,
 * and never a way to say on whose behalf.
 */
export function openAgentSocket(calls: AgentCalls, path: string): Promise<UnixServer> {
  return openUnixServer(path, (socket) => serve(calls, socket), { maxConnections: MAX_CONNECTIONS });
}

async function serve(calls: AgentCalls, socket: Socket): Promise<void> {
  const gone = new AbortController();
  let underWay = 0;
  const reply = (answer: AgentReply) => {
    if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
    if (socket.writable) socket.write(`${JSON.stringify(answer)}\n`);
  };
  const take = async (line: Line) => {
    if (!("text" in line)) return reply(refusal(-1, invalid(`a request of ${line.oversized} bytes is too large`)));
    if (line.text.trim() === "") return;
    underWay += 1;
    reply(await answer(underWay > MAX_AT_ONCE ? undefined : calls, line.text, gone.signal));
    underWay -= 1;
  };
  try {
    for await (const lines of linesOf(socket, MAX_REQUEST_BYTES)) for (const line of lines) void take(line);
    socket.end();
  } catch {
    socket.destroy(); // it broke off
  } finally {
    gone.abort();
  }
}

/** Never rejects: what goes wrong is the answer. Without `calls` there are too many requests already. */
async function answer(calls: AgentCalls | undefined, text: string, signal: AbortSignal): Promise<AgentReply> {
  const { data: request } = AgentRequest.safeParse(parsed(text));
  if (request === undefined) {
    return refusal(-1, invalid('not a request; write {"id":1,"method":"bus_read","params":{}} on one line'));
  }
  try {
    if (calls === undefined) throw new AppError("limit.exceeded", `more than ${MAX_AT_ONCE} requests at once`);
    return { id: request.id, result: await call(calls, request, signal) };
  } catch (error) {
    return refusal(request.id, error);
  }
}

function call(calls: AgentCalls, { method, params = {} }: AgentRequest, signal: AbortSignal): Promise<unknown> {
  if (!isAgentOp(method)) {
    throw new AppError(
      "command.unsupported",
      `${JSON.stringify(method.slice(0, 60))}: not for an agent; there is ${Object.keys(agentOps).join(", ")}`,
    );
  }
  return perform(calls, method, params, signal);
}

function perform<Op extends AgentOp>(calls: AgentCalls, op: Op, params: unknown, signal: AbortSignal) {
  const { data, error } = agentOps[op].params.safeParse(params);
  if (data === undefined) throw invalid(`${op}: ${(error?.issues ?? []).map(describe).join("; ")}`);
  // The table pairs each operation with its own parameters; the compiler can't follow that through an index.
  return calls[op](data as GivenTo<Op>, signal);
}

const describe = ({ path, message }: { path: PropertyKey[]; message: string }) =>
  path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusal(id: number, error: unknown): AgentReply {
  if (!(error instanceof AppError)) return { id, error: { code: "internal", message: messageOf(error) } };
  const { code, message, details } = error;
  return { id, error: { code, message, details } };
}

const invalid = (why: string) => new AppError("usage.invalid", why);
