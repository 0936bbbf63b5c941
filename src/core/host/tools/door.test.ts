import { once } from "node:events";
import { type RequestOptions, request } from "node:http";
import { connect } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { agentCallsFor } from "../../../../test/support/agent-socket.ts";
import { deferred } from "../../../../test/support/deferred.ts";
import { openToolDoor } from "./door.ts";
import type { AgentCalls } from "./perform.ts";

async function opened(calls: Partial<AgentCalls> = {}, beatMs?: number) {
  const door = await openToolDoor(agentCallsFor({ bus_post: async () => ({ id: "m1" }), ...calls }), { beatMs });
  onTestFinished(() => door.close());
  return door;
}

async function connected({ url, token }: { url: string; token: string }) {
  const headers = { authorization: `Bearer ${token}` };
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

/** Sends exactly this, which no client of good manners would. */
function send(url: string, options: RequestOptions, body?: string) {
  return new Promise<{ status?: number; type?: string; body: string }>((resolve, reject) => {
    const asked = request(url, { method: "POST", ...options }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode, type: response.headers["content-type"], body: text }),
      );
    });
    asked.on("error", reject).end(body);
  });
}

const json = "application/json";
const call = (id: number, name: string, params: object) =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: params } });

describe("the run's tools over HTTP", () => {
  test("are used by whoever has the token", async () => {
    const client = await connected(await opened());
    expect((await client.listTools()).tools).toHaveLength(8);
    const result = await client.callTool({ name: "bus_post", arguments: { body: "x" } });
    expect(result).toMatchObject({ content: [{ type: "text", text: expect.stringContaining("m1") }] });
  });

  test("a call that takes long says so", async () => {
    const enough = deferred<void>();
    const client = await connected(await opened({ bus_read: () => enough.promise.then(() => ({}) as never) }, 5));
    let beats = 0;
    const onprogress = () => {
      beats += 1;
      if (beats === 3) enough.resolve();
    };
    await client.callTool({ name: "bus_read", arguments: {} }, { onprogress });
    expect(beats).toBeGreaterThanOrEqual(3);
  });

  test("a call is taken back by who cancels it, and by who goes away", async () => {
    let asked = deferred<void>();
    let takenBack = deferred<void>();
    const door = await opened({
      ask_user: (_, signal) => {
        asked.resolve();
        return new Promise((_, reject) =>
          signal.addEventListener("abort", () => {
            takenBack.resolve();
            reject(signal.reason);
          }),
        );
      },
    });
    const client = await connected(door);
    const cancel = new AbortController();
    const waiting = client.callTool({ name: "ask_user", arguments: { question: "?" } }, { signal: cancel.signal });
    await asked.promise;
    cancel.abort();
    await expect(waiting).rejects.toThrow();
    await takenBack.promise;

    asked = deferred();
    takenBack = deferred();
    const headers = { authorization: `Bearer ${door.token}`, "content-type": json };
    const raw = request(door.url, { method: "POST", headers }).on("error", () => {});
    raw.end(call(1, "ask_user", { question: "?" }));
    await asked.promise;
    raw.destroy();
    await takenBack.promise;
  });

  test("an answer is one body where the client takes no events, a notice has none", async () => {
    const { url, token } = await opened();
    const headers = { authorization: `Bearer ${token}`, "content-type": json };
    const answered = await send(url, { headers }, call(1, "bus_post", { body: "x" }));
    expect(answered).toMatchObject({ status: 200, type: json });
    expect(JSON.parse(answered.body)).toMatchObject({ id: 1, result: { content: [{ type: "text" }] } });
    const notice = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect(await send(url, { headers }, notice)).toMatchObject({ status: 202, body: "" });
  });

  test("is closed with the run, and so are those who wait", async () => {
    const asked = deferred<void>();
    const door = await opened({
      ask_user: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    const headers = { authorization: `Bearer ${door.token}`, "content-type": json };
    const waiting = send(door.url, { headers }, call(1, "ask_user", { question: "?" }));
    await asked.promise;
    door.close();
    await expect(waiting).rejects.toThrow();
    await expect(send(door.url, { headers }, "{}")).rejects.toThrow("ECONNREFUSED");
  });

  test("every run has a token of its own", async () => {
    const [one, other] = [await opened(), await opened()];
    expect(one.token).not.toBe(other.token);
    expect(one.token.length).toBeGreaterThanOrEqual(43);
    const headers = { authorization: `Bearer ${one.token}`, "content-type": json };
    expect(await send(other.url, { headers }, "{}")).toMatchObject({ status: 401 });
  });
});

describe("the door is shut", () => {
  interface Attack {
    headers?: Record<string, string | undefined>;
    method?: string;
    path?: string;
    body?: string;
    status: number;
  }
  const attacks: Record<string, Attack> = {
    "without a token": { headers: { authorization: undefined }, status: 401 },
    "with an empty one": { headers: { authorization: "Bearer " }, status: 401 },
    "with a wrong one": { headers: { authorization: "Bearer sesame" }, status: 401 },
    "with the right one in the query": {
      headers: { authorization: undefined },
      path: "/mcp?access_token=TOKEN",
      status: 401,
    },
    "as another scheme": { headers: { authorization: "Basic TOKEN" }, status: 401 },
    "to a page that had its name point here": { headers: { host: "evil.example" }, status: 403 },
    "to that name with the right port": { headers: { host: "evil.example:PORT" }, status: 403 },
    "to a page of any origin": { headers: { origin: "http://127.0.0.1:PORT" }, status: 403 },
    "to a page without one": { headers: { origin: "null" }, status: 403 },
    "to what a browser loads": { headers: { "sec-fetch-site": "cross-site" }, status: 403 },
    "to a form": { headers: { "content-type": "text/plain" }, status: 415 },
    "to GET": { method: "GET", status: 405 },
    "to DELETE": { method: "DELETE", status: 405 },
    "to PUT": { method: "PUT", status: 405 },
    "to OPTIONS": { method: "OPTIONS", status: 405 },
    "on other paths": { path: "/", status: 404 },
    "to no JSON": { body: "{", status: 400 },
    "to nothing": { body: "", status: 400 },
    "to a list": { body: "[]", status: 400 },
    "to too much, announced": { headers: { "content-length": String(9 * 1024 * 1024) }, body: "x", status: 413 },
  };

  test.each(Object.entries(attacks))("%s", async (_, { headers = {}, method = "POST", path, body = "{}", status }) => {
    const calls: unknown[] = [];
    const door = await opened({
      bus_post: async (params) => {
        calls.push(params);
        return { id: "m" };
      },
    });
    const { port } = new URL(door.url);
    const filled = (text: string) => text.replaceAll("TOKEN", door.token).replaceAll("PORT", port);
    const all = { authorization: `Bearer ${door.token}`, "content-type": json, ...headers };
    const given = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, filled(value)]]));
    const got = await send(
      new URL(filled(path ?? "/mcp"), door.url).href,
      { method, headers: Object.fromEntries(given) },
      method === "GET" ? undefined : body,
    );
    expect(got.status).toBe(status);
    expect(got.body).not.toContain(door.token);
    expect(calls).toEqual([]);
  });

  test("to too much, not announced", async () => {
    const { url, token } = await opened();
    const headers = { authorization: `Bearer ${token}`, "content-type": json, "transfer-encoding": "chunked" };
    const got = await send(url, { headers }, `"${"x".repeat(9 * 1024 * 1024)}"`).catch(() => ({ status: 413 }));
    expect(got.status).toBe(413);
  });

  test("to two Host headers", async () => {
    const { url, token } = await opened();
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const lines = [`Host: ${new URL(url).host}`, "Host: evil.example", `Authorization: Bearer ${token}`];
    socket.write(`POST /mcp HTTP/1.1\r\n${lines.join("\r\n")}\r\nContent-Length: 0\r\n\r\n`);
    const [chunk] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    expect(chunk.toString()).toMatch(/^HTTP\/1.1 40[03]/);
  });
});
