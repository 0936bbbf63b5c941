import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { Listening } from "../listen.ts";
import type { Identity } from "../route.ts";
import { startApp } from "../test-app.ts";
import { bearerOf } from "./token.ts";

let server: Listening | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.close();
});

/** Two ways to stay connected, for those whose token is in the set. */
async function start(allowed: ReadonlySet<string>): Promise<(path: string, token: string) => Promise<Socket>> {
  const authenticate = (request: Parameters<typeof bearerOf>[0]): Identity | undefined => {
    const name = bearerOf(request) ?? "";
    return allowed.has(name) ? { name, scope: "read" } : undefined;
  };
  server = await startApp(
    [
      {
        method: "GET",
        path: "/stream",
        access: "read",
        handle: ({ response }) => {
          response.writeHead(200).write("begun");
          return undefined;
        },
      },
    ],
    {
      upgrades: [{ path: "/socket", access: "read", accept: (_, socket) => void socket.write("begun") }],
      authenticate,
      askAgainMs: 20,
    },
  );
  const { port } = server;
  return async (path, token) => {
    const upgrade = path === "/socket" ? "Connection: Upgrade\r\nUpgrade: x\r\n" : "";
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n${upgrade}\r\n`,
      ),
    );
    sockets.push(socket);
    for (let heard = ""; !heard.includes("begun"); ) heard += String((await once(socket, "data"))[0]);
    return socket;
  };
}

describe.each(["/stream", "/socket"])("who stays connected, %s", (path) => {
  test("is sent away when the token is revoked; others stay", async () => {
    const allowed = new Set(["mine", "theirs"]);
    const open = await start(allowed);
    const [mine, theirs] = [await open(path, "mine"), await open(path, "theirs")];
    const over = once(theirs.resume(), "close");
    allowed.delete("theirs");
    await over;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(mine.closed).toBe(false);
  });
});
