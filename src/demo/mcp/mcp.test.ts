import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { initialize, newDirectory, soon, startDemo, type TestClient } from "../test-client.ts";

const fake = join(import.meta.dirname, "../../../test/fakes/mcp-stdio.mjs");
const stdio = (name: string, ...args: string[]) => ({ name, command: process.execPath, args, env: [] });
let demo: TestClient;

beforeAll(async () => {
  demo = startDemo();
  await initialize(demo.agent);
});
afterAll(async () => {
  demo.child.stdin?.end();
  await demo.exited;
});

test("a tool of a stdio server is called", async () => {
  const session = await demo.newSession(newDirectory(), [stdio("fake", fake)]);
  await session.prompt('@mcp fake ping {"who": "bob"}');
  expect(session.of("tool_call")).toMatchObject([{ name: "mcp__fake__ping", rawInput: { who: "bob" } }]);
  expect(session.of("tool_call_update").at(-1)).toMatchObject({ status: "completed", rawOutput: "pong bob" });
});

test("a server that is not there, dies or can't be started fails the tool and says why", async () => {
  const servers = [stdio("mortal", "-e", "process.exit(4)"), { ...stdio("none"), command: "/no/such/server" }];
  const session = await demo.newSession(newDirectory(), servers);
  await session.prompt("@mcp other ping\n@mcp mortal ping\n@mcp none ping");
  const ended = session.of("tool_call_update").filter(({ status }) => status !== "in_progress");
  expect(ended.map(({ status, rawOutput }) => [status, rawOutput])).toEqual([
    ["failed", "no MCP server other in this session (there is: mortal, none)"],
    ["failed", "MCP server mortal ended with code 4"],
    ["failed", expect.stringContaining("ENOENT")],
  ]);
});

test("a server that never answers is left when the turn is cancelled", async () => {
  const silent = stdio("silent", "-e", "process.stderr.write('silent server is up'); setInterval(() => {}, 1000)");
  const session = await demo.newSession(newDirectory(), [silent]);
  const turn = session.prompt("@mcp silent ping");
  await expect.poll(() => demo.stderr(), soon).toContain("silent server is up");
  await session.cancel();
  expect(await turn).toMatchObject({ stopReason: "cancelled" });
});

test.each(["application/json", "text/event-stream"])("a tool of an HTTP server that answers with %s", async (type) => {
  const seen: unknown[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.method === "DELETE") return response.end();
      const message = JSON.parse(body);
      seen.push([message.method, request.headers.authorization, request.headers["mcp-session-id"]]);
      if (message.id === undefined) return response.writeHead(202).end();
      const result = message.method === "tools/call" ? { content: [{ type: "text", text: "pong" }] } : {};
      const json = JSON.stringify({ jsonrpc: "2.0", id: message.id, result });
      response.writeHead(200, { "content-type": type, "mcp-session-id": "s1" });
      return response.end(type === "application/json" ? json : `event: message\ndata: ${json}\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");

  const headers = [{ name: "Authorization", value: "Bearer x" }];
  const url = `http://127.0.0.1:${address.port}/mcp`;
  const session = await demo.newSession(newDirectory(), [{ type: "http", name: "web", url, headers }]);
  await session.prompt("@mcp web ping {}");
  expect(session.of("tool_call_update").at(-1)).toMatchObject({ status: "completed", rawOutput: "pong" });
  expect(seen).toEqual([
    ["initialize", "Bearer x", undefined],
    ["notifications/initialized", "Bearer x", "s1"],
    ["tools/call", "Bearer x", "s1"],
  ]);
  await new Promise((resolve) => server.close(resolve));
});
