import { type AgentOp, type AgentResults, agentOps, type GivenTo, isAgentOp } from "../../../contract/agent-socket.ts";
import { AppError } from "../../../contract/errors.ts";

/** What is done for each operation. The signal aborts when whoever asked is gone. */
export type AgentCalls = {
  readonly [Op in AgentOp]: (params: GivenTo<Op>, signal: AbortSignal) => Promise<AgentResults[Op]>;
};

/**
 * Checks what an agent wrote, and does it. Whoever needs this imports it with the first call: the schemas take long to load,
 * and most runs end without one.
 */
export async function perform(
  calls: AgentCalls,
  op: string,
  params: unknown,
  signal: AbortSignal,
): Promise<AgentResults[AgentOp]> {
  if (isAgentOp(op)) return checked(calls, op, params, signal);
  throw new AppError(
    "command.unsupported",
    `${JSON.stringify(op.slice(0, 60))}: not for an agent; there is ${Object.keys(agentOps).join(", ")}`,
  );
}

function checked<Op extends AgentOp>(calls: AgentCalls, op: Op, params: unknown, signal: AbortSignal) {
  const { data, error } = agentOps[op].params.safeParse(params);
  if (data === undefined) {
    throw new AppError("usage.invalid", `${op}: ${(error?.issues ?? []).map(describe).join("; ")}`);
  }
  // The table pairs each operation with its own parameters; the compiler can't follow that through an index.
  return calls[op](data as GivenTo<Op>, signal);
}

const describe = ({ path, message }: { path: PropertyKey[]; message: string }) =>
  path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;
