import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import { errnoOf } from "../../lib/files/disk-error.ts";
import { openPrivateFolder } from "../../lib/files/private-folder.ts";

export interface UnixServer {
  close(): void;
}

/** A socket that only this account can reach, gone from the disk when it is closed. `serve` never rejects. */
export async function openUnixServer(
  path: string,
  serve: (socket: Socket) => Promise<void>,
  { maxConnections }: { maxConnections?: number } = {},
): Promise<UnixServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy()); // a client that went away is no event for the run
    void serve(socket);
  });
  if (maxConnections !== undefined) server.maxConnections = maxConnections;
  await listen(server, path);
  return {
    close() {
      server.close();
      for (const socket of sockets) socket.destroySoon();
      rmSync(path, { force: true });
    },
  };
}

async function listen(server: Server, path: string): Promise<void> {
  openPrivateFolder(dirname(path)); // a long home has its sockets in /tmp, where others can be first
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => resolve());
  });
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error; // the run is over already, and took its socket with it
  }
}
