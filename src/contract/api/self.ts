import { z } from "zod";
import { agentOps } from "../agent-socket.ts";
import { routes } from "./route.ts";

/**
 * What an agent may ask of its own run, over HTTP: the operations of its socket, each with the same parameters as its body. Whose
 * run is meant says the token.
 */
const own = <Params extends z.ZodType>({ summary, params }: { summary: string; params: Params }) => ({
  tag: "self" as const,
  summary,
  access: "run" as const,
  body: params,
  result: z.looseObject({}),
});

export const selfRoutes = routes({
  "POST /self/bus_post": own(agentOps.bus_post),
  "POST /self/bus_read": own(agentOps.bus_read),
  "POST /self/ask_user": own(agentOps.ask_user),
  "POST /self/spawn_run": own(agentOps.spawn_run),
  "POST /self/wait_run": own(agentOps.wait_run),
  "POST /self/run_status": own(agentOps.run_status),
  "POST /self/task_create": own(agentOps.task_create),
  "POST /self/task_status": own(agentOps.task_status),
});
