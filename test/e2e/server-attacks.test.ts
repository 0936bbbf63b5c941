import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { terminalsOf } from "../../src/app/server/terminals.ts";
import { allHandlers } from "../../src/faces/server/api/all-handlers.ts";
import type { ServerPorts } from "../../src/faces/server/ports.ts";
import { testServer } from "../../src/faces/server/test-server.ts";
import { newToken, sameToken } from "../../src/lib/http/access/token.ts";
import type { Route } from "../../src/lib/http/route.ts";
import { type Answer, ask, type RequestParts, rawAsk } from "../../src/lib/http/test-app.ts";
import { Scene, until } from "../support/cox.ts";
import { type Samples, samplePath } from "../support/sample-paths.ts";
import { type RunningServer, startServer } from "../support/server.ts";

/** What a web page, another account, or a file an agent left could try. One server for all of them: none may hurt the next. */
const made = new Scene();
let server: RunningServer;
let routes: readonly Route[];
let samples: Samples;
let runFolder: string;
const secret = `secret-${newToken()}`;
/** A file's name that would be a header, if it were let into one. */
const HEADER_NAME = "a\r\nX-Evil: 1\r\n\r\nb";
const HOSTILE = "<img src=x onerror=alert(1)> [x](javascript:alert(1)) \r\nX-Evil: 1";

beforeAll(async () => {
  writeFileSync(join(made.folder, "outside.txt"), secret);
  execFileSync("git", ["init", "-q"], { cwd: made.workspace });
  for (const name of ["evil.html", "evil.svg", "evil.js", HEADER_NAME]) {
    writeFileSync(join(made.workspace, name), "<script>alert(1)</script>");
  }
  symlinkSync(join(made.folder, "outside.txt"), join(made.workspace, "link.txt"));
  symlinkSync(made.folder, join(made.workspace, "folder"));
  execFileSync("mkfifo", [join(made.workspace, "pipe")]);
  await made.cox([
    "run",
    "--agent",
    "demo",
    "--project",
    "p",
    "--task",
    "t",
    "--permissions",
    "allow",
    `@say ${HOSTILE}`,
  ]);
  const [{ dir, info } = { dir: "", info: undefined }] = made.runs();
  runFolder = dir;
  const run = info?.run_id ?? "";
  samples = { run, project: "p", task: "t" };
  server = await startServer(made);
  routes = await enumerate();
});

afterAll(async () => {
  await server?.stop();
  await made.close();
});

/** From the app itself, so that a route nobody thought of is attacked too. */
async function enumerate(): Promise<readonly Route[]> {
  const test = await testServer();
  const ports = { home: test.home, env: {}, terminals: terminalsOf(undefined) } as unknown as ServerPorts;
  const { close, handlers } = allHandlers(ports);
  expect(Object.keys(handlers).length).toBeGreaterThan(50);
  close();
  await test.close();
  return test.app.routes;
}

const send = (path: string, asked: RequestParts = {}): Promise<Answer> => ask(`${server.url}${path}`, asked);
const withToken = (path: string, asked: RequestParts = {}): Promise<Answer> =>
  send(path, { ...asked, headers: { authorization: `Bearer ${server.token}`, ...asked.headers } });
const pathOf = (route: Route): string => samplePath(route.path, samples);
const isUnsafe = ({ method }: Route): boolean => method !== "GET";
const raw = (text: string): Promise<string> => rawAsk(server.port, text.replaceAll("\n", "\r\n"));
const statusIn = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);

/** Everything in the home, except what says when a thing was last used. */
function snapshot(): string[] {
  return readdirSync(made.home, { recursive: true, encoding: "utf8" })
    .map((name) => join(made.home, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    .map((path) => `${path} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`)
    .sort();
}

describe("every route", () => {
  test("asks for a token, but for those that are named here", () => {
    const free = routes.filter(({ access }) => access === "open" || access === "loopback");
    expect(free.map(({ method, path, access }) => `${access} ${method} ${path}`).sort()).toEqual([
      "loopback GET /metrics",
      "loopback GET /readyz",
      "open GET /healthz",
      "open POST /api/v1/login",
    ]);
  });

  test("9. no token, a wrong one, or one in the query: 401, and nothing happens", async () => {
    const before = snapshot();
    const asked: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${newToken()}` },
      { authorization: `Bearer ${server.token}x` },
      { authorization: `Basic ${Buffer.from(`x:${server.token}`).toString("base64")}` },
      { cookie: `cox-${server.port}=${server.token}` },
    ];
    for (const route of routes.filter(({ access }) => access !== "open" && access !== "loopback")) {
      const path = pathOf(route);
      const json = isUnsafe(route) ? { "content-type": "application/json" } : {};
      for (const headers of asked) {
        const { status } = await send(path, { method: route.method, headers: { ...headers, ...json } });
        expect([route.method, path, status]).toEqual([route.method, path, 401]);
      }
      const query = await send(`${path}?token=${server.token}&access_token=${server.token}`, { method: route.method });
      expect([path, query.status]).toEqual([path, 401]);
    }
    expect(snapshot()).toEqual(before);
  });

  test("6. a body that a page could send without asking (text, form): 415, and nothing is made", async () => {
    const before = snapshot();
    const types = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", undefined];
    for (const route of routes.filter((each) => isUnsafe(each) && each.accepts === undefined)) {
      for (const type of types) {
        const headers = type === undefined ? {} : { "content-type": type };
        const { status } = await withToken(pathOf(route), { method: route.method, headers, body: "{}" });
        // What a run's own token alone may do is refused before anybody looks at the body.
        expect([route.path, type, status]).toEqual([route.path, type, route.path.includes("/self/") ? 403 : 415]);
      }
    }
    expect(snapshot()).toEqual(before);
  });

  test("7. a preflight from elsewhere is granted nothing, nor is anything else", async () => {
    const headers = { origin: "http://evil.com", "access-control-request-method": "POST" };
    for (const route of routes) {
      for (const asked of [
        { method: "OPTIONS", headers },
        { method: "GET", headers: { origin: "http://evil.com" } },
      ]) {
        const answer = await send(pathOf(route), asked);
        expect(answer.status).toBeGreaterThanOrEqual(200);
        expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
      }
    }
  });

  test("a page of another origin, or another port of this machine, may not even look", async () => {
    const places = [
      { origin: "http://evil.com" },
      { origin: "null" },
      { origin: `http://localhost:${server.port + 1}` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const route of routes.filter(({ access }) => access !== "open")) {
      for (const headers of places) {
        const { status } = await withToken(pathOf(route), { method: route.method, headers });
        expect([route.path, headers, status]).toEqual([route.path, headers, 403]);
      }
    }
  });

  test("14. an id that is none: 400, or 404 where any text may be a name", async () => {
    const ids = ["a\nb", "a\rb", "a:b", "x".repeat(300), "pаypal", "__proto__", "..", "a/../b", "\u0000", " "];
    for (const route of routes.filter(({ path }) => path.includes("{"))) {
      for (const id of ids) {
        const path = route.path.replace(/\{\w+\}/g, encodeURIComponent(id));
        const headers: Record<string, string> = isUnsafe(route) ? { "content-type": "application/json" } : {};
        const { status } = await withToken(path, {
          method: route.method,
          headers,
          body: isUnsafe(route) ? "{}" : undefined,
        });
        expect([route.method, path, [400, 404].includes(status)]).toEqual([route.method, path, true]);
      }
    }
  });
});

describe("the Host header", () => {
  const get = (host: string, more = "") => raw(`GET /api/v1/version HTTP/1.1\n${host}Connection: close\n${more}\n`);

  test("1. another name: 403 before routing, body not read", async () => {
    const length = "Content-Length: 1000000000\nContent-Type: application/json\n";
    const answer = await raw(`POST /api/v1/login HTTP/1.1\nHost: evil.com:${server.port}\n${length}\n{`);
    expect(statusIn(answer)).toBe(403);
    expect(statusIn(await raw(`GET /nowhere HTTP/1.1\nHost: evil.com\nConnection: close\n\n`))).toBe(403);
  });

  test("2. none, or two: 400", async () => {
    const own = `Host: 127.0.0.1:${server.port}\n`;
    expect(statusIn(await get(""))).toBe(400);
    expect(statusIn(await get(own + own))).toBe(400);
    expect(statusIn(await get(`${own}Host: evil.com\n`))).toBe(400);
    expect(statusIn(await raw("GET /healthz HTTP/1.0\n\n"))).toBe(400);
  });

  test.each([
    "127.0.0.1.evil.com",
    "localhost.evil.com",
    "0.0.0.0",
    "127.1",
    "2130706433",
    "0x7f000001",
    "[::]",
    "LOCALHOST.",
  ])("3. %s: 403", async (name) => {
    expect(statusIn(await get(`Host: ${name}:${server.port}\n`))).toBe(403);
  });

  test("4. a name that was rebound to this machine, with an Origin to match: 403", async () => {
    const host = `Host: evil.com:${server.port}\nOrigin: http://evil.com:${server.port}\nSec-Fetch-Site: same-origin\n`;
    expect(statusIn(await get(`${host}Authorization: Bearer ${server.token}\n`))).toBe(403);
  });
});

test("5. an upgrade from elsewhere or from nobody, on every path: 401 or 403, and the socket is closed", async () => {
  const upgrade =
    "Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: eHh4eHh4eHh4eHh4eHh4eA==\n";
  const own = `Host: 127.0.0.1:${server.port}\n`;
  const sockets = terminalsOf(undefined).upgrades.map(({ path }) => samplePath(path, samples));
  expect(sockets.length).toBeGreaterThan(1);
  for (const path of new Set(["/", "/ws", "/socket", ...sockets, ...routes.map(pathOf)])) {
    const from = (headers: string) => raw(`GET ${path} HTTP/1.1\n${upgrade}${headers}\n`);
    expect(statusIn(await from(`${own}Origin: http://evil.com\nAuthorization: Bearer ${server.token}\n`))).toBe(403);
    expect(statusIn(await from(own))).toBe(401);
    expect(statusIn(await from("Host: evil.com\n"))).toBe(403);
  }
});

test("8. no GET changes anything", async () => {
  const before = snapshot();
  for (const route of routes.filter(({ method, path }) => method === "GET" && !path.endsWith("/stream"))) {
    const { status } = await withToken(pathOf(route));
    expect([route.path, status < 500]).toEqual([route.path, true]);
  }
  expect(snapshot()).toEqual(before);
});

test("10. a one-time key works once, and not after a minute", async () => {
  const login = (key: string) =>
    send("/api/v1/login", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ key }),
    });
  const [first, second] = await Promise.all([login(server.key), login(server.key)]);
  expect(new Set([first.status, second.status])).toEqual(new Set([204, 401]));
  expect((await login(server.key)).status).toBe(401);
  const old = newToken();
  const file = join(made.home, "logins", createHash("sha256").update(old).digest("hex"));
  writeFileSync(file, String(Date.now() - 61_000));
  expect((await login(old)).status).toBe(401);
  expect((await login("../server-token")).status).toBe(401);
});

test("11. comparing tokens takes the same time however much of them fits", () => {
  const token = newToken();
  const almost = `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`;
  const nothing = newToken();
  const timeOf = (other: string) => {
    const began = process.hrtime.bigint();
    for (let round = 0; round < 300; round++) sameToken(token, other);
    return Number(process.hrtime.bigint() - began);
  };
  // In turns, and the fastest of many: whatever else this machine does slows both.
  const fastest = { almost: Infinity, nothing: Infinity };
  for (let round = 0; round < 200; round++) {
    fastest.almost = Math.min(fastest.almost, timeOf(almost));
    fastest.nothing = Math.min(fastest.nothing, timeOf(nothing));
  }
  const ratio = fastest.almost / fastest.nothing;
  expect(ratio).toBeGreaterThan(0.7);
  expect(ratio).toBeLessThan(1.4);
  for (const other of ["", "x", `${token}x`, "x".repeat(100_000)]) expect(sameToken(token, other)).toBe(false);
});

describe("12. more than it wants", () => {
  const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]) * 1024;
  const post = (headers: string) =>
    `POST /api/v1/rules HTTP/1.1\nHost: 127.0.0.1:${server.port}\nAuthorization: Bearer ${server.token}\nContent-Type: application/json\n${headers}\n`;

  test("a body of 1 GB, by its own word or without an end: 413, and no memory for it", async () => {
    const before = rss();
    expect(statusIn(await raw(post("Content-Length: 1073741824\n")))).toBe(413);
    const chunk = "x".repeat(0x100000);
    const flood = await new Promise<string>((resolve, reject) => {
      let answer = "";
      const socket = connect(server.port, "127.0.0.1", () => {
        socket.write(post("Transfer-Encoding: chunked\n").replaceAll("\n", "\r\n"));
        const more = () => {
          while (!socket.destroyed && socket.write(`100000\r\n${chunk}\r\n`));
        };
        socket.on("drain", more);
        more();
      });
      socket.on("data", (data) => (answer += data.toString()));
      socket.on("error", () => {}); // cut while we were still sending: that is the point
      socket.on("close", () => resolve(answer));
      setTimeout(() => reject(new Error("it takes everything")), 15_000).unref();
    });
    expect(statusIn(flood)).toBe(413);
    if (process.platform === "linux") expect(rss() - before).toBeLessThan(64 * 1024 * 1024);
  });

  test("100,000 headers: 431", async () => {
    const many = Array.from({ length: 100_000 }, (_, n) => `x${n}: y`).join("\n");
    const answer = await rawAsk(
      server.port,
      `GET / HTTP/1.1\nHost: 127.0.0.1:${server.port}\n${many}\n\n`.replaceAll("\n", "\r\n"),
    ).catch(() => "HTTP/1.1 431");
    expect(statusIn(answer)).toBe(431);
  });

  test("headers that never end: 408 after ten seconds", { timeout: 20_000 }, async () => {
    expect(statusIn(await raw("GET / HTTP/1.1\nHost: x\nx: y\n"))).toBe(408);
  });
});

describe("files", () => {
  const inRun = (path: string) => `/api/v1/runs/${samples.run}${path}`;
  const headersOf = ({ headers }: Answer) => ({
    type: headers["content-type"],
    sniff: headers["x-content-type-options"],
    disposition: headers["content-disposition"]?.split(";")[0],
    policy: headers["content-security-policy"]?.includes("sandbox"),
  });
  const AS_TEXT = { type: "text/plain; charset=utf-8", sniff: "nosniff", disposition: "attachment", policy: true };

  test("13. no path leads out of the folder", { timeout: 60_000 }, async () => {
    const outside = join(made.folder, "outside.txt");
    const ways = [
      "../outside.txt",
      "..\\outside.txt",
      "a/../../outside.txt",
      "./../outside.txt",
      "%2e%2e/outside.txt",
      "..%2foutside.txt",
      "evil.html\0",
      outside,
      `//${outside}`,
      `file://${outside}`,
      "\\\\server\\share",
      "link.txt",
      "folder/outside.txt",
      "~/outside.txt",
    ];
    for (const way of ways) {
      for (const times of [1, 2]) {
        const path = times === 1 ? encodeURIComponent(way) : encodeURIComponent(encodeURIComponent(way));
        const places = [
          inRun(`/workspace/file?path=${path}`),
          inRun(`/workspace/tree?path=${path}`),
          ...(times === 1 ? [inRun(`/workspace/diff?path=${path}&patches=true`)] : []), // takes several runs of git
          inRun(`/files/${path}`),
          inRun(`/blobs/${path}`),
          `/${path}`,
        ];
        const answers = await Promise.all(places.map((at) => withToken(at)));
        for (const [n, at] of places.entries()) {
          const { status = 0, text = "" } = answers[n] ?? {};
          expect([at, text.includes(secret)]).toEqual([at, false]);
          const isFile = at.includes("/file?") || at.includes("/files/");
          if (isFile) expect([at, status === 400 || status === 404]).toEqual([at, true]);
        }
      }
    }
    for (const target of [
      "/../server-token",
      "/assets/../../../server-token",
      "/%2e%2e/server-token",
      "/..%5cserver-token",
    ]) {
      const host = `Host: 127.0.0.1:${server.port}\nConnection: close\n`;
      const answer = await raw(`GET ${target} HTTP/1.1\n${host}\n`);
      expect([target, statusIn(answer)]).toEqual([target, 400]);
    }
  });

  test("13. nor does one that a command is given", async () => {
    for (const path of [
      "../outside.txt",
      join(made.folder, "outside.txt"),
      "link.txt",
      "folder/outside.txt",
      ".git/config",
    ]) {
      const body = JSON.stringify({ paths: [path] });
      const headers = { "content-type": "application/json" };
      await withToken(inRun("/workspace/discard"), { method: "POST", headers, body });
      await withToken(inRun("/workspace/stage"), { method: "POST", headers, body });
      expect(readFileSync(join(made.folder, "outside.txt"), "utf8")).toBe(secret);
    }
  });

  test("15. what an agent put in a file's place is not followed and blocks nobody", async () => {
    const plant: Record<string, (path: string) => unknown> = {
      "output.md": (path) => symlinkSync(join(made.folder, "outside.txt"), path),
      "agent-stderr.txt": (path) => execFileSync("mkfifo", [path]),
      "prompt.md": (path) => mkdirSync(path),
      "terminal.cast": (path) => symlinkSync("/dev/zero", path),
    };
    for (const [name, put] of Object.entries(plant)) {
      const path = join(runFolder, name);
      rmSync(path, { force: true });
      put(path);
      const { status, text } = await withToken(inRun(`/files/${name}`));
      expect([name, [404, 409].includes(status), text.includes(secret)]).toEqual([name, true, false]);
    }
    for (const name of ["agent-stderr.txt", "terminal.cast"]) {
      const { status, text } = await withToken(inRun(`/files/${name}/stream`));
      expect([name, status < 500, /^data: (?!\{\}$)/m.test(text)]).toEqual([name, true, false]);
    }
    for (const name of ["pipe", "link.txt"]) {
      const { status } = await withToken(inRun(`/workspace/file?path=${name}`));
      expect([name, [400, 404, 409].includes(status)]).toEqual([name, true]);
    }
  });

  test("16. a page, a picture or a script of the agent's is text to keep", async () => {
    for (const name of ["evil.html", "evil.svg", "evil.js"]) {
      const answer = await withToken(inRun(`/workspace/file?path=${name}`));
      expect([answer.status, headersOf(answer)]).toEqual([200, AS_TEXT]);
    }
    const answer = await withToken(inRun("/files/events.jsonl"));
    expect([answer.status, headersOf(answer)]).toEqual([200, AS_TEXT]);
  });

  test("17. what an agent said is data, never a page", async () => {
    for (const path of ["/api/v1/runs", inRun(""), inRun("/events"), "/api/v1/tasks"]) {
      const { status, headers } = await withToken(path);
      expect([path, status, headers["content-type"]]).toEqual([path, 200, "application/json"]);
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["content-security-policy"]).toContain("default-src 'none'");
    }
  });

  test("20. no name gets into a header as it is", async () => {
    const answer = await withToken(inRun(`/workspace/file?path=${encodeURIComponent(HEADER_NAME)}`));
    const attachment = await withToken(`/api/v1/attachments?name=${encodeURIComponent(HEADER_NAME)}`, {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: "x",
    });
    const title = await withToken(inRun(""));
    for (const { headers, status } of [answer, attachment, title]) {
      expect(status).toBeLessThan(500);
      expect(headers["x-evil"]).toBeUndefined();
    }
  });
});

describe("streams", () => {
  /** The status, and the first event's name of a stream. */
  const open = (path: string, headers: Record<string, string>): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const sent = request(
        `${server.url}${path}`,
        { headers: { authorization: `Bearer ${server.token}`, ...headers }, agent: false },
        (response) => {
          let text = "";
          const done = () => {
            response.destroy();
            resolve({ status: response.statusCode ?? 0, text });
          };
          response.on("data", (chunk) => {
            text += String(chunk);
            if (text.includes("\n\n")) done();
          });
          response.on("end", done);
        },
      );
      sent.on("error", reject).end();
    });

  test.each(["-1", "1e99", "abc", "999999999", "1\u00002", "{}", "x".repeat(5000)])(
    "18. Last-Event-ID %j: 400, or an explicit reset",
    async (id) => {
      for (const path of [`/api/v1/runs/${samples.run}/stream`, "/api/v1/stream", "/api/v1/tasks/p/t/stream"]) {
        const query = await open(`${path}?last_event_id=${encodeURIComponent(id)}`, {});
        expect([path, query.status === 400 || query.text.includes("event: reset")]).toEqual([path, true]);
        if (!/^[\x20-\x7e]*$/.test(id)) continue;
        const header = await open(path, { "last-event-id": id });
        expect([path, header.status === 400 || header.text.includes("event: reset")]).toEqual([path, true]);
      }
    },
  );

  test("19. a thousand streams of one client: most are refused, and others are served as before", async () => {
    const sockets: Socket[] = [];
    const statuses = await Promise.all(
      Array.from(
        { length: 1000 },
        () =>
          new Promise<number>((resolve) => {
            const socket = connect(server.port, "127.0.0.1", () =>
              socket.write(
                `GET /api/v1/stream?from=now HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.token}\r\n\r\n`,
              ),
            );
            sockets.push(socket);
            socket.once("data", (data) => resolve(statusIn(data.toString())));
            socket.on("error", () => resolve(0));
          }),
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    const began = performance.now();
    expect((await withToken("/api/v1/version")).status).toBe(200);
    expect(performance.now() - began).toBeLessThan(2000);
    for (const socket of sockets) socket.destroy();
    await until(
      async () =>
        (JSON.parse((await withToken("/api/v1/health")).text) as { stream_clients: number }).stream_clients === 0,
    );
  });
});
