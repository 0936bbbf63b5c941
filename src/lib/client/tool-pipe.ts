import { connect } from "node:net";
import { dirname } from "node:path";
import type { Readable, Writable } from "node:stream";
import { AppError, messageOf } from "../../contract/errors.ts";
import { SOCKET_INSIDE } from "../../contract/runs/run.ts";
import { requirePrivateFolder } from "../files/private-folder.ts";

/**
 * Carries bytes between an agent and its run's socket, which speaks MCP itself. Ends with either of them: an agent that closes
 * our stdin takes back what it asked.
 */
export async function pipeToRun(socketPath: string, stdin: Readable, stdout: Writable): Promise<void> {
  if (socketPath !== SOCKET_INSIDE) requirePrivateFolder(dirname(socketPath));
  const socket = connect(socketPath);
  stdout.on("error", () => socket.destroy());
  stdin.pipe(socket);
  socket.pipe(stdout, { end: false });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.on("error", reject);
      socket.on("close", () => resolve());
    });
  } catch (cause) {
    const message = `cox mcp: reach the run (${socketPath}): ${messageOf(cause)}; perhaps it has ended`;
    throw new AppError("host.unreachable", message, {}, { cause });
  } finally {
    stdin.destroy();
  }
}
