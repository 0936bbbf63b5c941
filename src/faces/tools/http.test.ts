import { request } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { agentSocket } from "../../../test/support/agent-socket.ts";
import { serveToolsOverHttp } from "./http.ts";

async function serving() {
  const { path } = await agentSocket({ bus_post: async () => ({ id: "m1" }) });
  const endpoint = await serveToolsOverHttp(path, 0, "sesame");
  onTestFinished(() => endpoint.close());
  return endpoint.url;
}

test("the tools over HTTP, for whoever has the token", async () => {
  const headers = { authorization: "Bearer sesame" };
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(await serving()), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  expect(await client.callTool({ name: "bus_post", arguments: { body: "x" } })).toMatchObject({
    content: [{ type: "text", text: expect.stringContaining("m1") }],
  });
});

test.each([
  ["without a token", {}, 401],
  ["with a wrong one", { authorization: "Bearer Sesame" }, 401],
  ["from a page that had its name point here", { host: "evil.example", authorization: "Bearer sesame" }, 403],
])("not %s", async (_, headers, status) => {
  const url = await serving();
  const got = await new Promise((resolve, reject) => {
    request(url, { method: "POST", headers }, (response) => resolve(response.resume().statusCode))
      .on("error", reject)
      .end("{}");
  });
  expect(got).toBe(status);
});
