import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { api } from "../../contract/api/index.ts";
import { AppError } from "../../contract/errors.ts";
import { readAudit } from "../../core/store/audit.ts";
import { ask } from "../../lib/http/test-app.ts";
import { makeLoginKey } from "./access/login-keys.ts";
import { makeToken, revokeToken } from "./access/tokens.ts";
import { apiRoutes } from "./api/api-routes.ts";
import { type TestServer, testServer } from "./test-server.ts";

let server: TestServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const start = async (...args: Parameters<typeof testServer>) => {
  server = await testServer(...args);
  return server;
};
const rules = (items: unknown[]) => ({ "GET /rules": () => ({ items }) }) as never;

describe("an operation", () => {
  test("gets what was checked, with its defaults, and who asks", async () => {
    const seen: unknown[] = [];
    const { url, headers } = await start({
      "GET /runs": ({ query }, { by }) => {
        seen.push(query, by);
        return { items: [] };
      },
    });
    const { status, text } = await ask(`${url}/api/v1/runs?project=web&limit=7`, { headers });
    expect([status, text]).toEqual([200, '{"items":[]}']);
    expect(seen).toEqual([{ limit: 7, project: "web" }, "ada@laptop"]);
  });

  test.each([
    ["a query", "GET", "/runs?limit=0", undefined, "query.limit"],
    ["a query given twice", "GET", "/runs?limit=1&limit=2", undefined, "query: a parameter is given twice"],
    ["a path", "GET", "/runs/..x", undefined, "path.run"],
    ["a name of Object", "GET", "/agents/__proto__", undefined, "path.agent"],
    ["a body", "POST", "/rules", { decision: "maybe" }, "body.decision"],
    ["a body with too much", "POST", "/login", { key: "x", more: 1 }, 'body: Unrecognized key: "more"'],
    ["a missing body", "POST", "/login", undefined, "body"],
  ])("%s that is wrong is named", async (_, method, path, body, place) => {
    const { url, headers } = await start();
    const answer = await ask(`${url}/api/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
    const problem = JSON.parse(answer.text) as { code: string; detail: string; details?: { issues?: unknown[] } };
    expect([answer.status, problem.code]).toEqual([400, "http.invalid"]);
    expect(problem.detail).toContain(place);
  });

  test("makes something: 201; nothing to say: 204; an error: its problem", async () => {
    const { url, headers } = await start({
      "POST /tasks": () => ({ project: "p", task: "t" }),
      "POST /tasks/{project}/{task}/done": () => undefined,
      "POST /tasks/{project}/{task}/enqueue": () => {
        throw new AppError("task.state", "it runs already");
      },
    });
    const body = JSON.stringify({ title: "t", prompt: "p", project: "p", workspace: "/w" });
    expect(await ask(`${url}/api/v1/tasks`, { method: "POST", headers, body })).toMatchObject({
      status: 201,
      text: '{"project":"p","task":"t"}',
    });
    expect(await ask(`${url}/api/v1/tasks/p/t/done`, { method: "POST", headers })).toMatchObject({
      status: 204,
      text: "",
    });
    expect((await ask(`${url}/api/v1/tasks/p/t/enqueue`, { method: "POST", headers })).status).toBe(409);
  });

  test("is answered again only when something changed", async () => {
    let items: unknown[] = [];
    const { url, headers } = await start({ "GET /rules": () => ({ items }) as never });
    const first = await ask(`${url}/api/v1/rules`, { headers });
    const known = { ...headers, "if-none-match": `"other", ${first.headers.etag}` };
    expect(await ask(`${url}/api/v1/rules`, { headers: known })).toMatchObject({ status: 304, text: "" });
    items = [{ id: "1", decision: "allow", kind: "execute", match: "ls", project: "", agent: "", created: "", by: "" }];
    expect((await ask(`${url}/api/v1/rules`, { headers: known })).status).toBe(200);
  });

  test.each([
    ["lacks a field", [{ id: "1" }]],
    [
      "has one too many",
      [
        {
          id: "1",
          decision: "allow",
          kind: "execute",
          match: "",
          project: "",
          agent: "",
          created: "",
          by: "",
          more: 1,
        },
      ],
    ],
  ])("whose result %s is a bug, and tests see it", async (_, items) => {
    const { url, headers, logged } = await start(rules(items));
    expect((await ask(`${url}/api/v1/rules`, { headers })).status).toBe(500);
    expect(logged.join("")).toContain("GET /rules");
  });
});

test("a table and handlers that differ do not start", () => {
  const all = Object.fromEntries(Object.keys(api).map((key) => [key, () => undefined]));
  const join = (handlers: object) =>
    apiRoutes({
      handlers: handlers as never,
      idempotency: undefined as never,
      nameOf: () => "",
      runOfHandle: () => undefined,
      checkResults: true,
    });
  expect(join(all)).toHaveLength(Object.keys(api).length);
  const { "GET /runs": _gone, ...fewer } = all;
  expect(() => join(fewer)).toThrow("no handler for GET /runs");
  expect(() => join({ ...all, "GET /more": () => undefined })).toThrow("no route for GET /more");
});

describe("an Idempotency-Key", () => {
  const body = (title: string) => JSON.stringify({ title, prompt: "p", project: "p", workspace: "/w" });

  test("makes one thing of the same request sent again, even at the same time and after a restart", async () => {
    let made = 0;
    const handlers = { "POST /tasks": async () => ({ project: "p", task: `t${++made}` }) };
    const { url, headers, home, close } = await start(handlers);
    const send = (at: string, title = "a") =>
      ask(`${at}/api/v1/tasks`, {
        method: "POST",
        headers: { ...headers, "idempotency-key": "k1" },
        body: body(title),
      });
    const both = await Promise.all([send(url), send(url)]);
    expect(both.map(({ status, text }) => [status, text])).toEqual([
      [201, '{"project":"p","task":"t1"}'],
      [201, '{"project":"p","task":"t1"}'],
    ]);
    await close();
    const again = await start(handlers, { home });
    const third = await send(again.url);
    expect([third.text, third.headers["idempotent-replayed"]]).toEqual(['{"project":"p","task":"t1"}', "true"]);
    expect((await send(again.url, "another")).status).toBe(422);
    expect(made).toBe(1);
  });

  test("of a refused request can be used again; of one that was cut off it says so", async () => {
    let refuse = true;
    const { url, headers, home } = await start({
      "POST /tasks": () => {
        if (refuse) throw new AppError("task.exists", "there");
        return { project: "p", task: "t" };
      },
    });
    const send = () =>
      ask(`${url}/api/v1/tasks`, { method: "POST", headers: { ...headers, "idempotency-key": "k" }, body: body("a") });
    expect((await send()).status).toBe(409);
    refuse = false;
    expect((await send()).status).toBe(201);
    const [file = ""] = readdirSync(join(home.root, "idempotency"));
    const path = join(home.root, "idempotency", file);
    writeFileSync(path, "{}");
    expect((await send()).status).toBe(422);
    writeFileSync(path, "");
    expect(await send()).toMatchObject({ status: 409, text: expect.stringContaining("idempotency.unknown") });
  });

  test("whose answer can't be kept makes nothing twice", async () => {
    let made = 0;
    const { url, headers, home } = await start({
      "POST /tasks": () => {
        const [file = ""] = readdirSync(join(home.root, "idempotency"));
        rmSync(join(home.root, "idempotency", file));
        mkdirSync(join(home.root, "idempotency", file)); // nothing can be written there
        return { project: "p", task: `t${++made}` };
      },
    });
    const send = () =>
      ask(`${url}/api/v1/tasks`, { method: "POST", headers: { ...headers, "idempotency-key": "k" }, body: body("a") });
    expect(await send()).toMatchObject({ status: 201, text: '{"project":"p","task":"t1"}' });
    expect(await send()).toMatchObject({ status: 409, text: expect.stringContaining("idempotency.unknown") });
    expect(made).toBe(1);
  });

  test("must be one", async () => {
    const { url, headers } = await start();
    const answer = await ask(`${url}/api/v1/tasks`, {
      method: "POST",
      headers: { ...headers, "idempotency-key": "x".repeat(300) },
      body: body("a"),
    });
    expect(answer.status).toBe(400);
  });
});

describe("tokens", () => {
  const version = async (at: string, token: string) =>
    (await ask(`${at}/api/v1/version`, { headers: { authorization: `Bearer ${token}` } })).status;

  test("count from when they are made until they are revoked, whoever does it", async () => {
    const { url, home } = await start();
    const made = makeToken(home, { name: "ci", scope: "read", by: "ada" }, Date.now());
    expect(await version(url, made.token)).toBe(200);
    expect(await version(url, `${made.token}x`)).toBe(401);
    revokeToken(home, made.id, "ada", Date.now());
    expect(await version(url, made.token)).toBe(401);
  });

  test("read may look and not touch; import may only import", async () => {
    const { url, home } = await start(rules([]));
    const scopes = { read: [200, 403], import: [403, 403], all: [200, 204] } as const;
    for (const scope of ["read", "import", "all"] as const) {
      const { token } = makeToken(home, { name: scope, scope, by: "ada" }, Date.now());
      const headers = { authorization: `Bearer ${token}` };
      const look = await ask(`${url}/api/v1/rules`, { headers });
      const touch = await ask(`${url}/api/v1/rules/r1`, { method: "DELETE", headers });
      expect([scope, look.status, touch.status]).toEqual([scope, ...scopes[scope]]);
    }
  });

  test.each(["local", "cookie"])("none is called %s: its deeds would be the person's own", async (name) => {
    const { url, headers } = await start();
    const body = JSON.stringify({ name, scope: "all" });
    expect((await ask(`${url}/api/v1/tokens`, { method: "POST", headers, body })).status).toBe(400);
  });

  test("are made, listed and revoked over the API, and their values are nowhere on the disk", async () => {
    const { url, headers, home } = await start();
    const made = await ask(`${url}/api/v1/tokens`, { method: "POST", headers, body: '{"name":"ci","scope":"import"}' });
    const { id, token } = JSON.parse(made.text) as { id: string; token: string };
    const list = await ask(`${url}/api/v1/tokens`, { headers });
    expect(JSON.parse(list.text)).toMatchObject({ items: [{ id, name: "ci", scope: "import" }] });
    expect(list.text).not.toContain(token);
    const file = join(home.root, "tokens", `${id}.json`);
    expect(readFileSync(file, "utf8")).not.toContain(token);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await ask(`${url}/api/v1/tokens/${id}`, { method: "DELETE", headers })).status).toBe(204);
    expect((await ask(`${url}/api/v1/tokens/${id}`, { method: "DELETE", headers })).status).toBe(404);
    expect(readAudit(home, 9).items).toMatchObject([
      { what: "token.revoked", who: "ada@laptop", data: { id, name: "ci" } },
      { what: "token.made", who: "ada@laptop", data: { id, name: "ci", scope: "import" } },
    ]);
  });
});

describe("a browser", () => {
  const json = { "content-type": "application/json" };
  const signIn = (at: string, key: string, more = {}) =>
    ask(`${at}/api/v1/login`, { method: "POST", headers: { ...json, ...more }, body: JSON.stringify({ key }) });
  const cookieIn = (headers: { "set-cookie"?: string[] }) => headers["set-cookie"]?.[0]?.split(";")[0] ?? "";

  test("signs in once per key, stays signed in over a restart, and signs out", async () => {
    const first = await start();
    const key = makeLoginKey(first.home, Date.now());
    const answer = await signIn(first.url, key);
    expect(answer.status).toBe(204);
    expect(answer.headers["set-cookie"]?.[0]).toMatch(
      new RegExp(`^cox-${first.port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000$`),
    );
    expect((await signIn(first.url, key)).status).toBe(401);
    await first.close();
    const again = await start({}, { home: first.home });
    const cookie = cookieIn(answer.headers).replace(`cox-${first.port}`, `cox-${again.port}`);
    const version = await ask(`${again.url}/api/v1/version`, { headers: { cookie: `a=b; ${cookie}` } });
    expect(JSON.parse(version.text)).toMatchObject({ who: "ada@laptop browser", scope: "all" });
    const out = { ...json, cookie, origin: again.url };
    expect((await ask(`${again.url}/api/v1/logout`, { method: "POST", headers: out })).status).toBe(204);
    expect((await ask(`${again.url}/api/v1/version`, { headers: { cookie } })).status).toBe(401);
  });

  test("that nobody knows yet is not listened to for long", async () => {
    const { url } = await start();
    expect((await signIn(url, "x".repeat(5000))).status).toBe(413);
  });

  test("behind TLS gets a cookie that is never sent without", async () => {
    const { url, home, port } = await start();
    const origin = { origin: `https://localhost:${port}` };
    const answer = await signIn(url, makeLoginKey(home, Date.now()), origin);
    expect(answer.headers["set-cookie"]?.[0]).toContain("; Secure");
  });

  test("with its cookie must say where a change comes from, and its cookie is no token", async () => {
    const { url, home } = await start();
    const cookie = cookieIn((await signIn(url, makeLoginKey(home, Date.now()))).headers);
    const remove = (more: Record<string, string>) =>
      ask(`${url}/api/v1/rules/r1`, { method: "DELETE", headers: { cookie, ...more } });
    expect((await remove({})).status).toBe(403);
    expect((await remove({ origin: "http://localhost:3000" })).status).toBe(403);
    expect((await remove({ origin: url })).status).toBe(204);
    const bearer = { authorization: `Bearer ${cookie.split("=")[1]}` };
    expect((await ask(`${url}/api/v1/version`, { headers: bearer })).status).toBe(401);
  });
});

describe("the page", () => {
  test("its files as they are, itself for every other path, nothing for the API's", async () => {
    const { url, web } = await start();
    expect(await ask(`${url}/`)).toMatchObject({ status: 404, text: expect.stringContaining("/api/v1") });
    mkdirSync(join(web, "assets"));
    writeFileSync(join(web, "assets", "main-AbCd1234.js"), "go()");
    writeFileSync(join(web, "index.html"), "<p>page");
    for (const path of ["/", "/runs/x", "/tasks/shop/fix.v2", "/index.html"]) {
      const { status, headers, text } = await ask(`${url}${path}`);
      expect([path, status, text]).toEqual([path, 200, "<p>page"]);
      expect(headers["content-security-policy"]).toContain("script-src 'self';");
      expect(headers["cache-control"]).toBe("no-cache");
    }
    const script = await ask(`${url}/assets/main-AbCd1234.js`);
    expect(script.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
    });
    const known = { "if-none-match": script.headers.etag ?? "" };
    expect((await ask(`${url}/assets/main-AbCd1234.js`, { headers: known })).status).toBe(304);
    expect((await ask(`${url}/assets/gone-AbCd1234.js`)).status).toBe(404);
    expect((await ask(`${url}/favicon.ico`)).status).toBe(404);
    expect((await ask(`${url}/api/v1/nothing`)).status).toBe(404);
    expect((await ask(`${url}/api`)).status).toBe(404);
  });
});

describe("what machines ask", () => {
  test("health, readiness, figures and the description", async () => {
    const { url, headers } = await start(rules([]));
    await ask(`${url}/api/v1/rules`, { headers });
    expect((await ask(`${url}/healthz`)).text).toBe("ok\n");
    expect((await ask(`${url}/readyz`)).text).toBe("ready\n");
    const { text } = await ask(`${url}/metrics`);
    expect(text).toContain('cox_http_requests_total{route="GET /api/v1/rules",status="200"} 1');
    expect(text).toContain('cox_http_request_duration_seconds_count{route="GET /api/v1/rules"} 1');
    expect(text).toMatch(/^cox_stream_clients 3$/m);
    expect((await ask(`${url}/metrics`, { headers: { "x-forwarded-for": "10.0.0.1" } })).status).toBe(401);
    const health = JSON.parse((await ask(`${url}/api/v1/health`, { headers })).text) as Record<string, unknown>;
    expect(health).toMatchObject({ ok: true, live_runs: 1, open_requests: 2, stream_clients: 3 });
    const description = await ask(`${url}/api/v1/openapi.json`, { headers });
    expect(JSON.parse(description.text)).toMatchObject({ openapi: "3.1.0" });
  });
});
