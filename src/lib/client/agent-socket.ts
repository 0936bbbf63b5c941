import { connect } from "node:net";
import { dirname } from "node:path";
import type { AgentOp, AgentReply, AgentRequest, AgentResults, ParamsOf } from "../../contract/agent-socket.ts";
import { AppError, isErrorCode, messageOf } from "../../contract/errors.ts";
import { SOCKET_INSIDE } from "../../contract/runs/run.ts";
import { requirePrivateFolder } from "../files/private-folder.ts";
import { LineSplitter } from "../text/lines.ts";

/** These wait for a person, or for other runs. */
const patient: ReadonlySet<AgentOp> = new Set<AgentOp>(["ask_user", "wait_run"]);
const LIMIT_MS = 60_000;

/**
 * Asks the run that we are in for something; throws what it answered. A connection for each call: to break it off is how
 * one takes a question back.
 */
export async function callRun<Op extends AgentOp>(
  socketPath: string,
  op: Op,
  params: ParamsOf<Op>,
  signal?: AbortSignal,
): Promise<AgentResults[Op]> {
  if (socketPath !== SOCKET_INSIDE) requirePrivateFolder(dirname(socketPath));
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    const lines = new LineSplitter();
    const end = (error: unknown) => {
      signal?.removeEventListener("abort", abort);
      socket.destroy();
      reject(error);
    };
    const fail = (why: string, cause?: unknown) =>
      end(new AppError("host.unreachable", `${op}: reach the run (${socketPath}): ${why}`, {}, { cause }));
    const abort = () => end(signal?.reason);
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort);
    if (!patient.has(op)) socket.setTimeout(LIMIT_MS, () => fail("no answer within 60 s"));
    socket.on("error", (error) => fail(messageOf(error), error));
    socket.on("close", () => fail("it closed the connection; perhaps the run is ending"));
    socket.on("connect", () => {
      const request: AgentRequest = { id: 1, method: op, params };
      socket.write(`${JSON.stringify(request)}\n`);
    });
    socket.on("data", (chunk) => {
      const [first] = lines.push(chunk);
      if (first === undefined) return;
      if (!("text" in first)) return fail(`an answer of ${first.oversized} bytes is too large`);
      socket.removeAllListeners("close");
      signal?.removeEventListener("abort", abort);
      socket.end();
      const reply = JSON.parse(first.text) as AgentReply;
      if ("result" in reply) resolve(reply.result as AgentResults[Op]);
      else reject(refusal(reply.error));
    });
  });
}

function refusal({ code, message, details }: { code: string; message: string; details?: unknown }): AppError {
  const known = typeof details === "object" && details !== null ? { ...details } : {};
  return new AppError(isErrorCode(code) ? code : "internal", message, known);
}
