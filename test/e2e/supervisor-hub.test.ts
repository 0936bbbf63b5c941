import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Scene, until } from "../support/cox.ts";
import { agentScript, standIn, supervisedScene } from "../support/supervised.ts";

interface Session {
  id: string;
  url: string;
  metadata: Record<string, unknown>;
}

async function startHub(made: Scene) {
  const child = made.start(["hub", "--port", "0"], { env: { COOP_MUX_AUTH_TOKEN: "hub-token-hub-token" } });
  const line = await new Promise<string>((resolve) => child.stdout?.once("data", (chunk) => resolve(String(chunk))));
  const { listening } = JSON.parse(line) as { listening: string };
  const gone = new Promise((resolve) => child.once("exit", resolve));
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await gone;
  });
  const ask = async (path: string, body?: object) => {
    const answer = await fetch(`${listening}/api/v1/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: "Bearer hub-token-hub-token", "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return answer.json();
  };
  return { url: listening, ask, sessions: async () => (await ask("sessions")) as Session[] };
}

test("with the real hub: a login from it, a place in its list, gone at the end", { timeout: 40_000 }, async () => {
  const made = supervisedScene();
  const hub = await startHub(made.scene);
  await hub.ask("credentials/new", { name: "team", provider: "claude", token: "access-of-the-team" });
  made.program("claude", agentScript(`say({ state: "idle" }); setInterval(() => {}, 1000);`));
  const run = await made.supervise([`--terminal=${standIn}`, "--nudge="], {
    BOAT_ROLE: "crew",
    COOP_MUX_URL: hub.url,
    COOP_MUX_AUTH_TOKEN: "hub-token-hub-token",
  });
  const [session] = await until(async () => {
    const sessions = await hub.sessions();
    return sessions.length > 0 && sessions;
  });
  expect(session).toMatchObject({
    id: "pod-1",
    url: `http://127.0.0.1:${made.port}`,
    metadata: { role: "crew", k8s: { pod: "pod-1" } },
  });
  expect((await run.status()).credentials.mode).toBe("MuxFetch");
  const login = JSON.parse(readFileSync(join(made.state, "claude/.credentials.json"), "utf8"));
  expect(login.claudeAiOauth.accessToken).toBe("access-of-the-team");
  expect(await hub.ask("sessions/pod-1/agent")).toMatchObject({ state: "idle" }); // with the token that we gave
  run.child.kill("SIGTERM");
  expect((await run.done).code).toBe(0);
  expect(await hub.sessions()).toEqual([]);
});
