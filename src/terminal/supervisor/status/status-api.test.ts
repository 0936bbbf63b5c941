import { describe, expect, onTestFinished, test } from "vitest";
import { listen } from "../../../lib/http/listen.ts";
import { Status } from "./status.ts";
import { statusApi } from "./status-api.ts";

async function page() {
  const status = new Status({ role: "crew", agent: "ada", project: "web", maxRestarts: 10, hasHub: true }, () => 0);
  let port = 0;
  let stops = 0;
  const settings = { hostname: "pod-1", podIp: "10.0.0.7", reachable: true };
  const app = statusApi({
    status,
    settings,
    token: "terminal-token",
    port: () => port,
    requestStop: () => (stops += 1),
  });
  const listening = await listen(app, { host: "127.0.0.1", port: 0 });
  port = listening.port;
  onTestFinished(() => listening.close());
  return { status, url: listening.url, app, stops: () => stops };
}

describe("the status page", () => {
  test("says what there is to know", async () => {
    const { status, url } = await page();
    status.begins("/log.jsonl");
    status.phase = { phase: "parked", until: 60_000, why: "rate limit" };
    status.credentialMode = "Secret";
    for (let failures = 1; failures <= 5; failures += 1) status.refreshed(failures);
    status.beat(true);
    const view = await (await fetch(`${url}/api/v1/supervisor`)).json();
    expect(view).toMatchObject({
      role: "crew",
      phase: "parked",
      until: "1970-01-01T00:01:00.000Z",
      resumed: "/log.jsonl",
      lives: 1,
      credentials: { mode: "Secret", failures: 5, reauth_needed: true },
      hub: "registered",
    });
  });

  test("its figures", async () => {
    const { status, url } = await page();
    status.begins(undefined);
    status.ended(137);
    status.answered("trust");
    status.refreshed(1);
    const text = await (await fetch(`${url}/metrics`)).text();
    for (const line of [
      "cox_supervisor_lives 1",
      'cox_supervisor_agent_ends_total{code="137"} 1',
      'cox_supervisor_dialogs_answered_total{dialog="trust"} 1',
      'cox_supervisor_oauth_renewals_total{result="failed"} 1',
      "cox_supervisor_reauth_needed 0",
    ]) {
      expect(text.split("\n")).toContain(line);
    }
  });

  test("whatever changes something needs the token, from this machine as well", async () => {
    const { app } = await page();
    for (const { method, access } of app.routes) if (method !== "GET") expect(access).toBe("all");
  });

  test("a stop can be asked for by whoever has the token, and not by a web page", async () => {
    const { url, stops } = await page();
    const post = (headers = {}) => fetch(`${url}/api/v1/supervisor/stop`, { method: "POST", headers });
    const authorization = "Bearer terminal-token";
    expect((await post({ authorization, origin: "http://evil.example" })).status).toBe(403);
    expect((await post()).status).toBe(401);
    expect((await post({ authorization: "Bearer wrong" })).status).toBe(401);
    expect(stops()).toBe(0);
    expect((await post({ authorization })).status).toBe(202);
    expect(stops()).toBe(1);
  });

  test("a proxy in between needs the terminal's token", async () => {
    const { url } = await page();
    const get = (headers: Record<string, string>) =>
      fetch(`${url}/api/v1/supervisor`, { headers: { "x-forwarded-for": "1.2.3.4", ...headers } });
    expect((await get({})).status).toBe(401);
    expect((await get({ authorization: "Bearer wrong" })).status).toBe(401);
    expect((await get({ authorization: "Bearer terminal-token" })).status).toBe(200);
  });
});
