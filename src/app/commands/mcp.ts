import { once } from "node:events";
import { AppError } from "../../contract/errors.ts";
import type { AgentCalls } from "../../core/host/tools/perform.ts";
import { callRun } from "../../lib/client/agent-socket.ts";
import { pipeToRun } from "../../lib/client/tool-pipe.ts";
import { type Context, command } from "../../lib/command/command.ts";

export default command({
  name: "mcp",
  summary: "Carry a run's own tools to its agent, over MCP on stdin and stdout.",
  usage: "cox mcp [--socket PATH] [--http [--port N]]",
  examples: ["cox mcp --http --port 8700"],
  options: {
    socket: { value: "PATH", help: "the run's socket for its agent; default: COX_SOCKET, which every run sets" },
    http: { help: "over HTTP on loopback instead; prints its url and token" },
    port: { value: "N", help: "with --http: which port; default: a free one" },
  },
  async run({ values }, context) {
    const socket = values.socket ?? context.env.COX_SOCKET;
    if (socket === undefined || socket === "") {
      throw new AppError(
        "usage.invalid",
        "cox mcp: these are tools of a run, and there is none: COX_SOCKET is not set; agents get them by themselves",
      );
    }
    if (values.http) return serveHttp(socket, portOf(values.port), context);
    if (values.port !== undefined)
      throw new AppError("usage.invalid", "cox mcp: --port has a meaning only with --http");
    await pipeToRun(socket, context.stdin, context.stdout);
    return 0;
  },
});

/** Until a signal. The token is on stdout and not in an argument, which everybody on the machine could read. */
async function serveHttp(socket: string, port: number, { stdout, env }: Context): Promise<number> {
  const { openToolDoor } = await import("../../core/host/tools/door.ts");
  const { url, token, close } = await openToolDoor(callsOf(socket), { port, token: tokenIn(env) });
  stdout.write(`${JSON.stringify({ url, token })}\n`);
  await Promise.race(["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => once(process, signal)));
  close();
  return 0;
}

/** Nothing is decided here: the run does, at the other end of the socket. */
const callsOf = (socket: string): AgentCalls => ({
  bus_post: (params, signal) => callRun(socket, "bus_post", params, signal),
  bus_read: (params, signal) => callRun(socket, "bus_read", params, signal),
  ask_user: (params, signal) => callRun(socket, "ask_user", params, signal),
  spawn_run: (params, signal) => callRun(socket, "spawn_run", params, signal),
  wait_run: (params, signal) => callRun(socket, "wait_run", params, signal),
  run_status: (params, signal) => callRun(socket, "run_status", params, signal),
  task_create: (params, signal) => callRun(socket, "task_create", params, signal),
  task_status: (params, signal) => callRun(socket, "task_status", params, signal),
});

/** Only what can stand in a header: with another nobody would come in. */
function tokenIn({ COX_MCP_TOKEN: token = "" }: Context["env"]): string | undefined {
  if (/^[\w.~+/=-]*$/.test(token)) return token || undefined;
  throw new AppError("usage.invalid", "cox mcp: COX_MCP_TOKEN: use letters, digits and - _ . ~ + / =");
}

function portOf(text = "0"): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65536) return port;
  throw new AppError("usage.invalid", `cox mcp: --port ${JSON.stringify(text)}: not a port`);
}
