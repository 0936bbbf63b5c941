import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { AppError } from "../../contract/errors.ts";
import { type Context, command } from "../../lib/command/command.ts";

export default command({
  name: "mcp",
  summary: "Offer a run's own tools to its agent, over MCP on stdin and stdout.",
  usage: "cox mcp [--socket PATH] [--http [--port N]]",
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
    const { serveTools } = await import("../../faces/tools/stdio.ts");
    await serveTools(socket, context.stdin, context.stdout);
    return 0;
  },
});

/** Until a signal. The token is on stdout and not in an argument, which everybody on the machine could read. */
async function serveHttp(socket: string, port: number, { stdout, env }: Context): Promise<number> {
  const { serveToolsOverHttp } = await import("../../faces/tools/http.ts");
  const token = env.COX_MCP_TOKEN || randomBytes(24).toString("base64url");
  const endpoint = await serveToolsOverHttp(socket, port, token);
  stdout.write(`${JSON.stringify({ url: endpoint.url, token })}\n`);
  await Promise.race(["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => once(process, signal)));
  endpoint.close();
  return 0;
}

function portOf(text = "0"): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65536) return port;
  throw new AppError("usage.invalid", `cox mcp: --port ${JSON.stringify(text)}: not a port`);
}
