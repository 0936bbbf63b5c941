import { once } from "node:events";
import { statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createApp } from "./app.ts";
import { type Address, type Listening, listen } from "./listen.ts";

const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const app = () =>
  createApp({
    routes: [{ method: "GET", path: "/", access: "loopback", handle: () => ({ text: "here" }) }],
    upgrades: [
      { path: "/socket/{name}", access: "open", accept: ({ params }, socket) => socket.end(`hello ${params.name}`) },
    ],
    hosts: () => ["localhost", "127.0.0.1:1"],
    authenticate: () => undefined,
  });

const listenAt = async (address: Address) => {
  const one = await listen(app(), address);
  open.push(one);
  return one;
};

const getOver = (socketPath: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request({ socketPath, path: "/", headers: { host: "localhost" } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject).end();
  });

test("a unix socket is for this account only, and replaces one that was left", async () => {
  const path = join(temporaryFolder(), "deep", "a.sock");
  await (await listenAt({ socket: path })).close();
  writeFileSync(path, "");
  await listenAt({ socket: path });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await getOver(path)).toBe(200);
});

test.each([
  [
    "a socket in use",
    async (folder: string) => {
      const socket = join(folder, "a.sock");
      await listenAt({ socket });
      return { socket };
    },
    "listen.taken",
  ],
  [
    "a port in use",
    async () => ({ host: "127.0.0.1", port: (await listenAt({ host: "127.0.0.1", port: 0 })).port }),
    "listen.taken",
  ],
  ["a path Node would cut", async (folder: string) => ({ socket: join(folder, "x".repeat(120)) }), "listen.failed"],
  ["an address that is not ours", async () => ({ host: "192.0.2.1", port: 0 }), "listen.failed"],
])("%s is refused", async (_, prepare, code) => {
  const address = await prepare(temporaryFolder());
  await expect(listen(app(), address)).rejects.toMatchObject({ code });
});

test("an upgrade is accepted by its route, refused elsewhere and by the wrong name", async () => {
  const { port } = await listenAt({ host: "127.0.0.1", port: 0 });
  const upgrade = (path: string, host: string, more = "") =>
    new Promise<string>((resolve) => {
      const socket = connect(port, "127.0.0.1", () =>
        socket.write(
          `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${more}\r\n`,
        ),
      );
      let text = "";
      socket.on("data", (chunk) => (text += chunk.toString()));
      socket.on("close", () => resolve(text));
    });
  expect(await upgrade("/socket/a", "localhost")).toBe("hello a");
  expect(await upgrade("/other", "localhost")).toContain("401 Unauthorized");
  expect(await upgrade("/socket/a", "evil.com")).toContain("403 Forbidden");
  expect(await upgrade("/socket/a", "localhost", "Origin: http://evil.com\r\n")).toContain("403 Forbidden");
});

test("while it stops, what still comes over an open connection is refused, and the connection ends", async () => {
  const slow = createApp({
    routes: [
      { method: "GET", path: "/slow", access: "loopback", handle: () => new Promise(() => {}) },
      { method: "GET", path: "/", access: "loopback", handle: () => ({ text: "here" }) },
    ],
    hosts: () => ["localhost"],
    authenticate: () => undefined,
  });
  const one = await listen(slow, { host: "127.0.0.1", port: 0 });
  const socket = connect(one.port, "127.0.0.1");
  const ask = (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  // Busy, so that it isn't closed at once; a browser has such connections.
  const busy = connect(one.port, "127.0.0.1", () => busy.write("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  ask("/");
  await once(socket, "data");
  // A request that has begun keeps its connection through the stop.
  socket.write("GET / HTTP/1.1\r\n");
  await new Promise((resolve) => setTimeout(resolve, 50));
  const stopped = one.close(2000);
  socket.write("Host: localhost\r\n\r\n");
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1.1 503 [^]*connection: close/i);
  await once(socket, "close");
  busy.destroy();
  await stopped;
});
