import { connect } from "node:net";
import { dirname } from "node:path";
import type { HostReply, HostRequest, SentCommand } from "../../contract/commands.ts";
import { AppError, isErrorCode, messageOf } from "../../contract/errors.ts";
import { requirePrivateFolder } from "../files/private-folder.ts";
import { LineSplitter } from "../text/lines.ts";

const LIMIT_MS = 30_000;

/** Sends one command to the host of a run; resolves when it was taken, throws what the host answered. */
export async function sendCommand(socketPath: string, command: SentCommand): Promise<void> {
  requirePrivateFolder(dirname(socketPath)); // an answer must not reach somebody else's socket
  const request: HostRequest = { id: 1, command };
  const reply = await exchange(socketPath, `${JSON.stringify(request)}\n`);
  if ("ok" in reply) return;
  const { code, message, details } = reply.error;
  const known = typeof details === "object" && details !== null ? { ...details } : {};
  throw new AppError(isErrorCode(code) ? code : "internal", message, known);
}

function exchange(socketPath: string, line: string): Promise<HostReply> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    const lines = new LineSplitter();
    const fail = (why: string, cause?: unknown) => {
      socket.destroy();
      reject(
        new AppError(
          "host.unreachable",
          `reach the run's host: ${why}; \`cox ls\` shows whether it still runs`,
          {},
          { cause },
        ),
      );
    };
    socket.setTimeout(LIMIT_MS, () => fail("no answer within 30 s"));
    socket.on("error", (error) => fail(messageOf(error), error));
    socket.on("close", () => fail("it closed the connection"));
    socket.on("connect", () => socket.write(line));
    socket.on("data", (chunk) => {
      const [first] = lines.push(chunk);
      if (first === undefined || !("text" in first)) return;
      socket.removeAllListeners("close");
      socket.end();
      resolve(JSON.parse(first.text) as HostReply);
    });
  });
}
