import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Daemon } from "./daemon.ts";

async function daemon(answers: Record<string, [number, object]>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      asked.push(`${request.headers.authorization} ${request.method} ${request.url} ${body}`.trim());
      const [status, value] = answers[`${request.method} ${request.url}`] ?? [404, {}];
      response.writeHead(status).end(JSON.stringify(value));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, at: new Daemon({ url, token: "t" }) };
}

test.each<[string, [number, object], boolean]>([
  ["asked for", [200, { fields: { stop_requested: "true" } }], true],
  ["as a boolean", [200, { fields: { stop_requested: true } }], true],
  ["not asked for", [200, { fields: { stop_requested: "" } }], false],
  ["no fields", [200, {}], false],
  ["no such bead", [404, {}], false],
])("a stop: %s", async (_, answer, wanted) => {
  const { at } = await daemon({ "GET /v1/beads/kd%2F1": answer });
  expect(await at.stopRequested("kd/1")).toBe(wanted);
});

test("a daemon in trouble is an error, not an answer", async () => {
  const { at } = await daemon({ "GET /v1/beads/a": [500, {}] });
  await expect(at.stopRequested("a")).rejects.toThrow("500");
  await expect(new Daemon({ url: "http://127.0.0.1:1", token: undefined }).config("x")).rejects.toThrow();
});

test("closing says that it is done, with the token", async () => {
  const { at, asked } = await daemon({ "PATCH /v1/beads/a": [200, {}], "POST /v1/beads/a/close": [200, {}] });
  await at.close("a");
  expect(asked).toEqual([
    'Bearer t PATCH /v1/beads/a {"fields":{"agent_state":"done"}}',
    "Bearer t POST /v1/beads/a/close {}",
  ]);
});
