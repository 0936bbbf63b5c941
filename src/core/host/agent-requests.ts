import { type AgentReply, AgentRequest } from "../../contract/agent-socket.ts";
import { AppError, messageOf } from "../../contract/errors.ts";
import { MAX_AT_ONCE } from "./tools/limits.ts";
import { type AgentCalls, perform } from "./tools/perform.ts";

/** Never rejects: what goes wrong is the answer. Without `calls` there are too many requests already. */
export async function replyTo(
  calls: AgentCalls | undefined,
  message: unknown,
  signal: AbortSignal,
): Promise<AgentReply> {
  const { data: request } = AgentRequest.safeParse(message);
  if (request === undefined) {
    return refusal(-1, 'not a request; write {"id":1,"method":"bus_read","params":{}} on one line');
  }
  const { id, method, params = {} } = request;
  try {
    if (calls === undefined) throw new AppError("limit.exceeded", `more than ${MAX_AT_ONCE} requests at once`);
    return { id, result: await perform(calls, method, params, signal) };
  } catch (error) {
    if (!(error instanceof AppError)) return { id, error: { code: "internal", message: messageOf(error) } };
    const { code, message, details } = error;
    return { id, error: { code, message, details } };
  }
}

const refusal = (id: number, message: string): AgentReply => ({ id, error: { code: "usage.invalid", message } });
