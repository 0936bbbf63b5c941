import type { AgentOp, ParamsOf } from "../../../contract/agent-socket.ts";
import type { selfRoutes } from "../../../contract/api/self.ts";
import { AppError } from "../../../contract/errors.ts";
import { agentSocketPath } from "../../../core/store/home.ts";
import { callRun } from "../../../lib/client/agent-socket.ts";
import type { Caller, Handlers } from "../api/handlers.ts";
import type { ServerPorts } from "../ports.ts";

/** What a run's agent asks of its run goes to the run's own host: the server knows whose token it is, and nothing more. */
export function selfHandlers({ home }: Pick<ServerPorts, "home">): Handlers<keyof typeof selfRoutes> {
  const forward = async <Op extends AgentOp>(
    op: Op,
    params: ParamsOf<Op>,
    { exchange }: Caller,
  ): Promise<Record<string, unknown>> => {
    const run = exchange.identity?.run;
    if (run === undefined) throw new AppError("auth.scope", `${op}: only the agent of a run may ask this`);
    const answer: object = await callRun(agentSocketPath(home, run), op, params, exchange.signal);
    return { ...answer };
  };
  return {
    "POST /self/bus_post": ({ body }, caller) => forward("bus_post", body, caller),
    "POST /self/bus_read": ({ body }, caller) => forward("bus_read", body, caller),
    "POST /self/ask_user": ({ body }, caller) => forward("ask_user", body, caller),
    "POST /self/spawn_run": ({ body }, caller) => forward("spawn_run", body, caller),
    "POST /self/wait_run": ({ body }, caller) => forward("wait_run", body, caller),
    "POST /self/run_status": ({ body }, caller) => forward("run_status", body, caller),
    "POST /self/task_create": ({ body }, caller) => forward("task_create", body, caller),
    "POST /self/task_status": ({ body }, caller) => forward("task_status", body, caller),
  };
}
