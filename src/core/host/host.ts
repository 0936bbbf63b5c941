import type { Socket } from "node:net";
import type { HostReply, HostRequest } from "../../contract/commands.ts";
import { AppError, messageOf } from "../../contract/errors.ts";
import { linesOf } from "../../lib/text/lines.ts";
import type { Run } from "../runner/run.ts";
import { openUnixServer, type UnixServer } from "./unix-server.ts";

/** A command is small; an attachment goes to the store, not through here. */
const MAX_COMMAND_BYTES = 16 * 1024 * 1024;

/**
 * The socket in front of one run, for people: a line in is a command, a line out says whether it was taken. Nothing is read
 * here: whoever wants to see the run reads its files.
 */
export function openHost(run: Pick<Run, "send">, socketPath: string): Promise<UnixServer> {
  return openUnixServer(socketPath, (socket) => serve(run, socket));
}

async function serve(run: Pick<Run, "send">, socket: Socket): Promise<void> {
  try {
    for await (const lines of linesOf(socket, MAX_COMMAND_BYTES)) {
      for (const line of lines) {
        if ("text" in line && line.text.trim() === "") continue;
        const reply = "text" in line ? await answer(run, line.text) : tooLong(line.oversized);
        socket.write(`${JSON.stringify(reply)}\n`);
      }
    }
    socket.end();
  } catch {
    socket.destroy();
  }
}

async function answer(run: Pick<Run, "send">, text: string): Promise<HostReply> {
  const request = await parse(text);
  if (request === undefined) return refusal(-1, new AppError("usage.invalid", "command: not one we know"));
  try {
    await run.send(request.command);
    return { id: request.id, ok: true };
  } catch (error) {
    return refusal(request.id, error);
  }
}

/** The schemas come with the first command: a run that nobody says anything to does without. */
async function parse(text: string): Promise<HostRequest | undefined> {
  const { HostRequest } = await import("../../contract/commands.ts");
  try {
    return HostRequest.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function refusal(id: number, error: unknown): HostReply {
  if (error instanceof AppError) {
    const { code, message, details } = error;
    return { id, error: { code, message, details } };
  }
  return { id, error: { code: "internal", message: messageOf(error) } };
}

function tooLong(bytes: number): HostReply {
  return refusal(
    -1,
    new AppError("usage.invalid", `command: ${bytes} bytes are too many; put large texts into a file`),
  );
}
