import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { until } from "../../../../test/support/cox.ts";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { testPlace } from "../test-place.ts";
import { deregister, registrationFor, stayRegistered } from "./hub.ts";

async function fakeHub() {
  const asked: { method: string | undefined; url: string | undefined; token: string | undefined; body: unknown }[] = [];
  let status = 200;
  let hang = false;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const { method, url, headers } = request;
      asked.push({ method, url, token: headers.authorization, body: body === "" ? undefined : JSON.parse(body) });
      if (!hang) response.writeHead(status).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    asked,
    hub: { url, token: "hub-token" },
    answer: (next: number) => {
      status = next;
    },
    hang: () => {
      hang = true;
    },
  };
}

const running = { phase: { phase: "running" }, reauthNeeded: false } as const;

test("what we tell of ourselves: the terminal's token, not the hub's", () => {
  const { settings } = testPlace({ BOAT_ROLE: "crew", BOAT_AGENT: "ada", HOSTNAME: "pod-1", POD_IP: "10.0.0.7" });
  expect(registrationFor(settings, "terminal", running)).toEqual({
    url: "http://10.0.0.7:8080",
    id: "pod-1",
    auth_token: "terminal",
    metadata: { role: "crew", agent: "ada", supervisor: "running", k8s: { pod: "pod-1", ip: "10.0.0.7" } },
  });
  expect(registrationFor(settings, "t", { ...running, reauthNeeded: true }).metadata.supervisor).toBe("reauth-needed");
});

describe("registration", () => {
  async function scene() {
    const made = await fakeHub();
    const { settings, log, lines } = testPlace({ HOSTNAME: "pod-1" });
    const clock = new FakeClock();
    const stop = new AbortController();
    const beats: boolean[] = [];
    const options = {
      hub: made.hub,
      clock,
      log,
      registration: () => registrationFor(settings, "t", running),
      onBeat: (ok: boolean) => beats.push(ok),
    };
    const over = stayRegistered(options, stop.signal);
    onTestFinished(() => (stop.abort(), over));
    const beat = (n: number) => until(() => beats.length >= n);
    return { ...made, clock, beats, beat, lines, log };
  }

  test("with the hub's token, and again every half minute", async () => {
    const { asked, beat, clock } = await scene();
    await beat(1);
    clock.advance(30_000);
    await beat(2);
    expect(asked.map(({ method, url, token }) => [method, url, token])).toEqual(
      [1, 2].map(() => ["POST", "/api/v1/sessions", "Bearer hub-token"]),
    );
  });

  test("a refusal is seen and tried again, sooner at first", async () => {
    const { answer, beat, beats, clock, lines } = await scene();
    answer(502);
    await beat(1);
    clock.advance(30_000);
    await beat(2);
    clock.advance(1000); // the second wait is at most two seconds
    clock.advance(1000);
    await beat(3);
    answer(200);
    clock.advance(4000);
    await beat(4);
    expect(beats.slice(1)).toEqual([false, false, true]);
    expect(lines.map(({ message }) => message)).toContain("registered with the hub");
  });
});

describe("the goodbye", () => {
  test("names us", async () => {
    const { asked, hub } = await fakeHub();
    await deregister(hub, "pod 1", testPlace().log);
    expect(asked).toMatchObject([{ method: "DELETE", url: "/api/v1/sessions/pod%201", token: "Bearer hub-token" }]);
  });

  test("to a hub that hangs takes three seconds, no more, and fails nothing", async () => {
    const { hub, hang } = await fakeHub();
    hang();
    const { log, lines } = testPlace();
    const begun = performance.now();
    await deregister(hub, "pod-1", log);
    expect(performance.now() - begun).toBeLessThan(5000);
    expect(lines).toMatchObject([{ level: "warn" }]);
  });
});
