import { AppError } from "../../contract/errors.ts";
import { command } from "../command.ts";

export default command({
  name: "mcp",
  summary: "Offer a run's own tools to its agent, over MCP on stdin and stdout.",
  usage: "cox mcp [--socket PATH]",
  options: {
    socket: { value: "PATH", help: "the run's socket for its agent; default: COX_SOCKET, which every run sets" },
  },
  async run({ values }, { env, stdin, stdout }) {
    const socket = values.socket ?? env.COX_SOCKET;
    if (socket === undefined || socket === "") {
      throw new AppError(
        "usage.invalid",
        "cox mcp: these are tools of a run, and there is none: COX_SOCKET is not set; agents get them by themselves",
      );
    }
    const { serveTools } = await import("../../tools/stdio.ts");
    await serveTools(socket, stdin, stdout);
    return 0;
  },
});
