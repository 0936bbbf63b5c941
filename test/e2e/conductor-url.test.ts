import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { homeAt } from "../../src/core/store/home.ts";
import { claimOf } from "../../src/core/store/runs/claims.ts";
import { httpClient } from "../../src/lib/client/http.ts";
import { finished, type Scene, scene, until } from "../support/cox.ts";
import { startServer } from "../support/server.ts";

/** An agent's script: what it was given, and what that is good for. */
const ASKING = `
import { writeFileSync } from "node:fs";
const { JRUN_CONDUCTOR_URL: url = "", JRUN_CONDUCTOR_TOKEN: token = "" } = process.env;
const ask = async (method, path, body) => {
  const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
  const answer = await fetch(url + "/api/v1" + path, { method, headers, body: JSON.stringify(body) });
  return { status: answer.status, said: await answer.json().catch(() => null) };
};
const posted = url === "" ? undefined : await ask("POST", "/self/bus_post", { body: "hello over HTTP", type: "FACT" });
const others = url === "" ? undefined : [
  await ask("GET", "/runs"),
  await ask("POST", "/runs/latest/stop", {}),
  await ask("POST", "/self/bus_post", { body: "as another", run: "r1" }),
].map(({ status }) => status);
writeFileSync(process.argv[2], JSON.stringify({ url, token, posted, others }));
`;

interface Report {
  url: string;
  token: string;
  posted?: { status: number; said: { id: string } };
  others?: number[];
}

async function stage() {
  const made = scene();
  writeFileSync(join(made.workspace, "ask.mjs"), ASKING);
  const server = await startServer(made);
  onTestFinished(async () => {
    if (server.child.exitCode === null) await server.stop();
  });
  return { made, server };
}

const report = (made: Scene, name: string): Report => JSON.parse(readFileSync(join(made.workspace, name), "utf8"));
const cli = ["run", "--agent", "demo", "--permissions", "allow", "--task", "t", "--project", "p"];

test("an agent is told of the server that lives, with a token for the operations of its socket that dies with its run", async () => {
  const { made, server } = await stage();
  const { code, stderr } = await made.cox([...cli, "@run node ask.mjs cli.json"]);
  expect([code, stderr]).toEqual([0, ""]);
  const { url, token, posted, others } = report(made, "cli.json");
  expect(url).toBe(server.url);
  expect(posted).toMatchObject({ status: 200, said: { id: expect.any(String) } });
  expect(others).toEqual([403, 403, 400]);
  const bus = await made.cox(["bus", "read", "--project", "p", "--task", "t", "--json"]);
  const message = { type: "FACT", body: "hello over HTTP", run: made.idOf("r1") };
  expect(JSON.parse(bus.stdout).messages).toContainEqual(expect.objectContaining(message));

  const body = JSON.stringify({ body: "from beyond" });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  expect((await fetch(`${url}/api/v1/self/bus_post`, { method: "POST", headers, body })).status).toBe(401);
  // Nobody else's token is good for it.
  expect((await fetch(`${url}/api/v1/self/bus_post`, { method: "POST", headers: server.headers, body })).status).toBe(
    403,
  );
});

test("one that the server itself started, too; the secret lies on no disk", async () => {
  const { made, server } = await stage();
  const client = httpClient({ url: server.url, token: server.token });
  const prompt = [{ type: "text" as const, text: "@run node ask.mjs api.json" }];
  const { run_id: run } = await client.call("POST /runs", {
    body: { agent: "demo", prompt, workspace: made.workspace, permissions: "allow" },
  });
  const { url, token, posted } = await until(() =>
    existsSync(join(made.workspace, "api.json")) ? report(made, "api.json") : undefined,
  );
  expect([url, posted?.status]).toEqual([server.url, 200]);
  const claim = JSON.stringify(claimOf(homeAt(made.home), run));
  expect(claim).toContain("agentHash");
  expect(claim).not.toContain(token.split(".")[1]);
  await client.call("POST /runs/{run}/stop", { params: { run }, body: {} });
});

test("without a server, or after one that was killed, there is nothing to tell", async () => {
  const { made, server } = await stage();
  server.child.kill("SIGKILL");
  await finished(server.child);
  expect(existsSync(join(made.home, "server.json"))).toBe(true);
  await made.cox([...cli, "@run node ask.mjs none.json"]);
  expect(report(made, "none.json")).toEqual({ url: "", token: "" });
});
