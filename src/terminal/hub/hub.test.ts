import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openHome } from "../../core/store/home.ts";
import { systemClock } from "../../lib/base/clock.ts";
import { createLog } from "../../lib/base/log.ts";
import { socketText } from "../../lib/http/socket-text.ts";
import { openHub } from "./core.ts";
import { socketTo } from "./socket-to.ts";
import { startHub } from "./start.ts";
import { testTerminalHost } from "./test-terminal-host.ts";

const TOKEN = "of-the-hub";
const log = createLog({ sink: () => {}, level: "error", now: Date.now });
const quick = { screenMs: 20, statusMs: 20, healthMs: 20, failures: 3 };

/** Whatever a test looks for in it. */
interface Answer {
  [key: string]: unknown;
  error?: { code: string; message: string };
  claudeAiOauth?: Record<string, unknown>;
}

async function hub(root = temporaryFolder()) {
  const running = await startHub({
    core: openHub({ home: openHome(root), clock: systemClock, log, times: quick }),
    host: "127.0.0.1",
    port: 0,
    token: TOKEN,
    names: [],
    env: {},
    clock: systemClock,
    log,
  });
  onTestFinished(() => running.close());
  const ask = async (method: string, path: string, body?: unknown, token = TOKEN) => {
    const response = await fetch(`${running.url}/api/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: (await response.json()) as Answer };
  };
  const connect = async (path: string, token = TOKEN) => {
    const socket = new WebSocket(`${running.url.replace("http", "ws")}${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const messages: Record<string, unknown>[] = [];
    socket.on("message", (data) => messages.push(JSON.parse(socketText(data))));
    socket.on("error", () => {});
    const closed = new Promise<number>((resolve) => socket.on("close", resolve));
    await new Promise((resolve) => socket.once("open", resolve).once("close", resolve));
    onTestFinished(() => socket.terminate());
    return { messages, closed, send: (message: object) => socket.send(JSON.stringify(message)) };
  };
  return { ...running, root, ask, connect };
}

async function until<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("who is there", () => {
  test("registers, is listed without its token, and leaves", async () => {
    const { ask } = await hub();
    const host = await testTerminalHost();
    expect(await ask("GET", "health")).toEqual({ status: 200, json: { status: "running", session_count: 0 } });
    const body = { url: host.url, id: "pod-1", auth_token: "secret", metadata: { role: "crew" } };
    expect(await ask("POST", "sessions", body)).toEqual({ status: 200, json: { id: "pod-1", registered: true } });
    const listed = await ask("GET", "sessions");
    expect(listed.json).toMatchObject([{ id: "pod-1", url: host.url, metadata: { role: "crew" }, health_failures: 0 }]);
    expect(JSON.stringify(listed.json)).not.toContain("secret");
    expect(await ask("DELETE", "sessions/pod-1")).toEqual({ status: 200, json: { id: "pod-1", removed: true } });
    expect(await ask("DELETE", "sessions/pod-1")).toMatchObject({
      status: 404,
      json: { error: { code: "SESSION_NOT_FOUND" } },
    });
  });

  test("may be coop: it registers again and again, and `coop peek` sees it", async () => {
    const { ask } = await hub();
    const host = await testTerminalHost();
    const id = "d6af2805-7de3-4d6c-9598-38ea99c79d6f";
    // As coop 0.11 writes them: null where it has no token.
    const body = { url: host.url, auth_token: null, id, metadata: { agent: "claude", k8s: { pod: "pod-1" } } };
    for (let beat = 0; beat < 2; beat += 1) {
      expect(await ask("POST", "sessions", body)).toMatchObject({ status: 200, json: { id } });
    }
    const listed = await until(async () => {
      const { json } = await ask("GET", "sessions");
      return JSON.stringify(json).includes("cached_state") ? json : undefined;
    });
    const shown = { id, metadata: { k8s: { pod: "pod-1" } }, cached_state: expect.any(String), health_failures: 0 };
    expect(listed).toMatchObject([shown]);
    const screen = await ask("GET", `sessions/${id}/screen`);
    expect(screen).toMatchObject({ status: 200, json: { lines: ["$ ready"], ansi: ["$ ready"], cols: 80, rows: 24 } });
    expect((await ask("DELETE", `sessions/${id}`)).status).toBe(200);
  });

  test("must answer before it is taken in", async () => {
    const { ask } = await hub();
    const body = { url: "http://127.0.0.1:1", id: "nobody" };
    expect(await ask("POST", "sessions", body)).toMatchObject({
      status: 502,
      json: { error: { code: "UPSTREAM_ERROR" } },
    });
    expect((await ask("GET", "sessions")).json).toEqual([]);
  });

  test.each([
    ["no address", { id: "x" }],
    ["another protocol", { url: "file:///etc/passwd" }],
    ["a password in it", { url: "http://a:b@127.0.0.1" }],
    ["an id that would be a path", { url: "http://127.0.0.1:1", id: "../x" }],
    ["a token that no header can carry", { url: "http://127.0.0.1:1", auth_token: "a\nb" }],
  ])("is refused with %s", async (_, body) => {
    const { ask } = await hub();
    expect(await ask("POST", "sessions", body)).toMatchObject({
      status: 400,
      json: { error: { code: "BAD_REQUEST" } },
    });
  });

  test("has no line to us with such a token, and nobody else suffers", async () => {
    const { url } = await testTerminalHost();
    expect(await socketTo({ url, token: "a\nb" }, "subscribe=state")).toBeUndefined();
  });

  test("says with a heartbeat what has changed: address, token, metadata", async () => {
    const { ask } = await hub();
    const [before, after] = [await testTerminalHost(), await testTerminalHost({ token: "new" })];
    await ask("POST", "sessions", { url: before.url, id: "pod", metadata: { role: "old" } });
    await ask("POST", "sessions", { url: after.url, id: "pod", auth_token: "new", metadata: { role: "new" } });
    expect((await ask("GET", "sessions")).json).toMatchObject([
      { id: "pod", url: after.url, metadata: { role: "new" } },
    ]);
    expect((await ask("POST", "sessions/pod/input", { text: "hi" })).status).toBe(200);
    expect(after.calls).toMatchObject([{ path: "input", body: { text: "hi" }, token: "new" }]);
  });

  test("moves with its token only: nobody gets it by naming another address", async () => {
    const { ask } = await hub();
    const [own, evil] = [await testTerminalHost({ token: "of-the-host" }), await testTerminalHost()];
    await ask("POST", "sessions", { url: own.url, id: "pod", auth_token: "of-the-host" });
    for (const asked of [{}, { auth_token: null }, { metadata: { role: "boss" } }]) {
      expect(await ask("POST", "sessions", { url: evil.url, id: "pod", ...asked })).toMatchObject({
        status: 409,
        json: { error: { message: expect.stringContaining("auth_token") } },
      });
    }
    expect((await ask("GET", "sessions")).json).toMatchObject([{ id: "pod", url: own.url, metadata: {} }]);
    expect((await ask("POST", "sessions/pod/input", { text: "hi" })).status).toBe(200);
    expect(evil.calls).toEqual([]);
    expect((await ask("POST", "sessions", { url: own.url, id: "pod" })).status).toBe(200); // a heartbeat
    // A token that is given goes where its giver says; the old one goes nowhere.
    await ask("POST", "sessions", { url: evil.url, id: "pod", auth_token: "guess" });
    await ask("POST", "sessions/pod/input", { text: "hi" });
    expect(evil.calls).toMatchObject([{ token: "guess" }]);
  });

  test("keeps what its supervisor said of it when the host itself registers without an id", async () => {
    const { ask } = await hub();
    const host = await testTerminalHost();
    await ask("POST", "sessions", { url: host.url, id: "pod", metadata: { role: "crew" } });
    expect((await ask("POST", "sessions", { url: host.url })).json).toEqual({ id: "pod", registered: true });
    expect((await ask("GET", "sessions")).json).toMatchObject([{ id: "pod", metadata: { role: "crew" } }]);
  });

  test("a new id at a known address takes its place", async () => {
    const { ask, connect } = await hub();
    const host = await testTerminalHost();
    const watcher = await connect("/ws/mux");
    await ask("POST", "sessions", { url: host.url, id: "old" });
    await ask("POST", "sessions", { url: host.url, id: "new" });
    expect((await ask("GET", "sessions")).json).toMatchObject([{ id: "new" }]);
    await until(() => watcher.messages.some(({ event, session }) => event === "session:offline" && session === "old"));
  });

  test("is forgotten after three failed checks, and comes back by registering", async () => {
    const { ask, connect } = await hub();
    const [host, survivor] = [await testTerminalHost(), await testTerminalHost()];
    const watcher = await connect("/ws/mux");
    await ask("POST", "sessions", { url: host.url, id: "ill" });
    await ask("POST", "sessions", { url: survivor.url, id: "well" });
    host.setHealthy(false);
    await until(() => watcher.messages.some(({ event, session }) => event === "session:offline" && session === "ill"));
    expect((await ask("GET", "sessions")).json).toMatchObject([{ id: "well", health_failures: 0 }]);
    host.setHealthy(true);
    expect((await ask("POST", "sessions", { url: host.url, id: "ill" })).status).toBe(200);
  });

  test("is known again after a restart; tokens lie in files of their own", async () => {
    const root = temporaryFolder();
    const host = await testTerminalHost({ token: "of-the-host" });
    const first = await hub(root);
    await first.ask("POST", "sessions", { url: host.url, id: "pod", auth_token: "of-the-host" });
    await first.close();
    const folder = join(root, "hub", "sessions");
    expect(readFileSync(join(folder, "pod.json"), "utf8")).not.toContain("of-the-host");
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    const second = await hub(root);
    expect((await second.ask("POST", "sessions/pod/input", { text: "x" })).status).toBe(200);
    expect(host.calls[0]?.token).toBe("of-the-host");
  });
});

describe("who may", () => {
  test("nobody without the token, but for its health", async () => {
    const { url, app } = await hub();
    for (const { method, path } of app.routes) {
      const response = await fetch(`${url}${path.replace("{id}", "x")}`, { method });
      expect([path, response.status]).toEqual([path, path === "/api/v1/health" ? 200 : 401]);
    }
    expect(app.upgrades.every(({ access }) => access !== "open")).toBe(true);
  });

  test("not under a name that isn't ours", async () => {
    const { port } = await hub();
    const { request } = await import("node:http");
    const status = await new Promise((resolve) => {
      const asked = request({ port, host: "127.0.0.1", path: "/api/v1/health", headers: { host: "evil.example" } });
      asked.on("response", (response) => resolve(response.statusCode)).end();
    });
    expect(status).toBe(403);
  });
});

describe("what they show", () => {
  test("screen and status as last seen, and 502 before that", async () => {
    const { ask } = await hub();
    const host = await testTerminalHost();
    await ask("POST", "sessions", { url: host.url, id: "pod" });
    const screen = await until(async () => {
      const answer = await ask("GET", "sessions/pod/screen");
      return answer.status === 200 ? answer.json : undefined;
    });
    expect(screen).toMatchObject({ lines: ["$ ready"], cols: 80, fetched_at: expect.any(Number) });
    expect(await until(async () => ((await ask("GET", "sessions/pod/status")).status === 200 ? true : undefined))).toBe(
      true,
    );
    await until(
      async () =>
        ((await ask("GET", "sessions")).json as unknown as { cached_state?: string }[])[0]?.cached_state === "idle",
    );
  });

  test("what the host refuses is an upstream error with its words", async () => {
    const { ask } = await hub();
    const host = await testTerminalHost();
    await ask("POST", "sessions", { url: host.url, id: "pod" });
    const { status, json } = await ask("POST", "sessions/pod/agent/respond", { accept: true });
    expect(status).toBe(502);
    expect(json.error).toMatchObject({ code: "UPSTREAM_ERROR", message: expect.stringContaining("NO_PROMPT") });
  });
});

describe("all of them at once", () => {
  test("who is there, thumbnails at once, state changes and ends, and typing", async () => {
    const { ask, connect } = await hub();
    const host = await testTerminalHost();
    await ask("POST", "sessions", { url: host.url, id: "pod", metadata: { role: "crew" } });
    await until(async () => (await ask("GET", "sessions/pod/screen")).status === 200);
    const watcher = await connect("/ws/mux");
    const [first] = await until(() => (watcher.messages.length > 0 ? watcher.messages : undefined));
    expect(first).toMatchObject({ event: "sessions", sessions: [{ id: "pod", metadata: { role: "crew" } }] });
    watcher.send({ event: "subscribe", sessions: ["pod"] });
    await until(() =>
      watcher.messages.some(
        ({ event, screens }) => event === "screen_batch" && Array.isArray(screens) && screens.length === 1,
      ),
    );
    await until(() => host.sockets.size > 0);
    host.tell({ event: "transition", prev: "idle", next: "working", seq: 2 });
    host.tell({ event: "exit", code: 0, signal: null });
    await until(() => watcher.messages.some(({ event, session }) => event === "transition" && session === "pod"));
    await until(() => watcher.messages.some(({ event, session }) => event === "exit" && session === "pod"));
    watcher.send({ event: "input:send", session: "pod", text: "ls", enter: true });
    await until(() =>
      host.calls.some(({ path, body }) => path === "input" && JSON.stringify(body) === '{"text":"ls","enter":true}'),
    );
    watcher.send({ event: "nonsense" });
    await until(() => watcher.messages.some(({ event }) => event === "error"));
  });
});

describe("a line to one of them", () => {
  test("passes everything, with the client's own request ids", async () => {
    const { ask, connect } = await hub();
    const host = await testTerminalHost();
    await ask("POST", "sessions", { url: host.url, id: "pod" });
    const line = await connect("/ws/pod?subscribe=screen");
    line.send({ event: "ping", request_id: "mine" });
    await until(() => line.messages.some(({ request_id }) => request_id === "mine"));
    host.tell({ event: "screen", lines: ["x"] });
    await until(() => line.messages.some(({ event }) => event === "screen"));
  });

  test("closes when the host does, and sends nothing twice", async () => {
    const { ask, connect } = await hub();
    const host = await testTerminalHost();
    await ask("POST", "sessions", { url: host.url, id: "pod" });
    const line = await connect("/ws/pod");
    line.send({ event: "input:send", text: "once" });
    await until(() => host.heard.length > 0);
    await host.close();
    expect(await line.closed).toBe(1011);
    expect(host.heard).toEqual([{ event: "input:send", text: "once" }]);
  });

  test("to nobody is refused", async () => {
    const { connect } = await hub();
    const line = await connect("/ws/nobody");
    expect(await line.closed).toBe(1006);
  });
});

describe("credentials", () => {
  test("are added, replaced and told of, never shown", async () => {
    const { ask } = await hub();
    expect(await ask("GET", "credentials/status")).toEqual({ status: 200, json: [] });
    expect(await ask("POST", "credentials/new", { name: "a", provider: "claude" })).toMatchObject({
      json: { added: true, account: "a" },
    });
    expect((await ask("GET", "credentials/status")).json).toEqual([
      { name: "a", provider: "claude", status: "missing", has_api_key: false },
    ]);
    expect(await ask("POST", "credentials/set", { account: "a", token: "tok", expires_in: 3600 })).toMatchObject({
      json: { ok: true },
    });
    const { json } = await ask("GET", "credentials/status");
    expect(json).toEqual([{ name: "a", provider: "claude", status: "healthy", has_api_key: true }]);
    expect((await ask("POST", "credentials/set", { account: "b", token: "x" })).status).toBe(400);
  });

  test("for one session, as its credentials file wants them; each gets the account that the fewest have", async () => {
    const { ask } = await hub();
    expect((await ask("POST", "credentials/distribute", { session_id: "pod-1" })).status).toBe(404);
    for (const name of ["a", "b"]) {
      await ask("POST", "credentials/new", { name, provider: "claude", token: `token-${name}`, refresh_token: "r" });
    }
    const given = await Promise.all(
      ["pod-1", "pod-2"].map((id) => ask("POST", "credentials/distribute", { session_id: id })),
    );
    expect(given.map(({ json }) => String(json.claudeAiOauth?.accessToken)).sort()).toEqual(["token-a", "token-b"]);
    expect(given[0]?.json.claudeAiOauth).toMatchObject({ refreshToken: "r", expiresAt: 9_999_999_999_999 });
  });

  test("for all sessions: every healthy account in one call, the wanted one first", async () => {
    const { ask } = await hub();
    const host = await testTerminalHost();
    await ask("POST", "sessions", { url: host.url, id: "pod" });
    await ask("POST", "credentials/new", { name: "a", provider: "claude", token: "1" });
    await ask("POST", "credentials/new", { name: "b", provider: "openai", token: "2" });
    const { json } = await ask("POST", "credentials/distribute", { account: "b", switch: true });
    expect(json).toEqual({ distributed: true, account: "b", sessions: [{ id: "pod", ok: true }] });
    expect(host.calls.map(({ path, body }) => [path, body])).toEqual([
      [
        "session/profiles",
        {
          profiles: [
            { name: "b", credentials: { OPENAI_API_KEY: "2" } },
            { name: "a", credentials: { CLAUDE_CODE_OAUTH_TOKEN: "1" } },
          ],
        },
      ],
      ["session/switch", { profile: "b", force: true }],
    ]);
  });

  test("are there after a restart, in files only the account can read", async () => {
    const root = temporaryFolder();
    const first = await hub(root);
    await first.ask("POST", "credentials/new", { name: "a", provider: "claude", token: "tok" });
    await first.close();
    const second = await hub(root);
    expect((await second.ask("GET", "credentials/status")).json).toMatchObject([{ name: "a", status: "healthy" }]);
    expect(statSync(join(root, "hub/credentials/a.secret")).mode & 0o777).toBe(0o600);
  });
});
