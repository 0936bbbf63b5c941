import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { AppError } from "../../contract/errors.ts";
import type { Listening } from "./listen.ts";
import type { Route } from "./route.ts";
import { ask, deferred, rawAsk, startApp } from "./test-app.ts";

let server: (Listening & { hosts: readonly string[] }) | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const start = async (routes: readonly Route[], options?: Parameters<typeof startApp>[1]) => {
  server = await startApp(routes, options);
  return server;
};

const hello: Route = { method: "GET", path: "/hello", access: "open", handle: () => ({ json: { hello: "you" } }) };
const echo: Route = {
  method: "POST",
  path: "/echo",
  access: "all",
  handle: async ({ json, identity }) => ({ json: { got: await json(), by: identity?.name } }),
};
const asAll = { authorization: "Bearer all", "content-type": "application/json" };
const codeOf = (text: string): unknown => (JSON.parse(text) as { code?: unknown }).code;

describe("a request", () => {
  test("gets its route's reply, with headers that keep browsers honest", async () => {
    const { url } = await start([hello]);
    const { status, headers, text } = await ask(`${url}/hello`);
    expect([status, text]).toEqual([200, '{"hello":"you"}']);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
  });

  test("HEAD is GET without the body", async () => {
    const { url } = await start([hello]);
    expect(await ask(`${url}/hello`, { method: "HEAD" })).toMatchObject({ status: 200, text: "" });
  });

  test("its JSON body reaches the route", async () => {
    const { url } = await start([echo]);
    const { text } = await ask(`${url}/echo`, { method: "POST", headers: asAll, body: '{"a":[1,"ü"]}' });
    expect(JSON.parse(text)).toEqual({ got: { a: [1, "ü"] }, by: "all" });
  });

  test.each<[string, string | Buffer]>([
    ["broken", "{"],
    ["not UTF-8", Buffer.from([0x22, 0xff, 0x22])],
    ["very deep", "[".repeat(5000) + "]".repeat(5000)],
  ])("a body that is %s is refused", async (_, body) => {
    const { url } = await start([echo]);
    const answer = await ask(`${url}/echo`, { method: "POST", headers: asAll, body });
    expect([answer.status, codeOf(answer.text)]).toEqual([400, "http.invalid"]);
  });

  test("an error of ours is its problem; any other is a closed book, and in the log", async () => {
    const errors: unknown[] = [];
    const log = { error: (_: string, fields?: object) => errors.push(fields) };
    const { url } = await start(
      [
        {
          ...hello,
          path: "/gone",
          handle: () => {
            throw new AppError("run.not_found", "no run r1", { run: "r1" });
          },
        },
        {
          ...hello,
          path: "/broken",
          handle: () => {
            throw new Error("secret path /x");
          },
        },
      ],
      { log: log as never },
    );
    const gone = await ask(`${url}/gone`);
    expect(gone.headers["content-type"]).toBe("application/problem+json");
    expect(JSON.parse(gone.text)).toEqual({
      type: "urn:coxswain:problem:run.not_found",
      title: "run not found",
      status: 404,
      detail: "no run r1",
      code: "run.not_found",
      details: { run: "r1" },
    });
    const broken = await ask(`${url}/broken`);
    expect([broken.status, broken.text.includes("secret")]).toEqual([500, false]);
    expect(errors).toMatchObject([{ url: "/broken" }]);
  });

  test.each([
    ["unknown path", "GET", "/nothing", 404, "http.not_found"],
    ["unknown method", "DELETE", "/hello", 405, "http.method"],
    ["preflight", "OPTIONS", "/hello", 405, "http.method"],
  ])("%s", async (_, method, path, status, code) => {
    const { url } = await start([hello]);
    const answer = await ask(`${url}${path}`, { method });
    expect([answer.status, codeOf(answer.text)]).toEqual([status, code]);
  });

  test("a fallback takes the GETs that no route takes", async () => {
    const { url } = await start([hello], { fallback: ({ url: at }) => ({ text: `page ${at.pathname}` }) });
    expect((await ask(`${url}/some/page`)).text).toBe("page /some/page");
    expect((await ask(`${url}/some/page`, { method: "POST" })).status).toBe(404);
  });

  test("another shape of problem", async () => {
    const { url } = await start([], { problem: () => ({ status: 418, text: "no" }) });
    expect(await ask(`${url}/x`)).toMatchObject({ status: 418, text: "no" });
  });

  test("is watched from its begin to its end", async () => {
    const seen: string[] = [];
    const { url } = await start([hello], {
      watch: (route) => {
        seen.push(`begin ${route?.path}`);
        return (status) => seen.push(`end ${status}`);
      },
    });
    await ask(`${url}/hello`);
    await ask(`${url}/nothing`);
    expect(seen).toEqual(["begin /hello", "end 200", "begin undefined", "end 404"]);
  });
});

describe("limits", () => {
  const post = (port: number, headers: string) =>
    `POST /echo HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer all\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`;

  test("a body too long by its own word is refused unread", async () => {
    const { port } = await start([echo]);
    expect(await rawAsk(port, post(port, "Content-Length: 1073741824"))).toContain("413 Payload Too Large");
  });

  test("a body without an end is cut at the limit", async () => {
    const { port } = await start([echo], { limits: { bodyBytes: 1000 } });
    const chunk = `400\r\n${"x".repeat(0x400)}\r\n`;
    expect(await rawAsk(port, post(port, "Transfer-Encoding: chunked") + chunk)).toContain("413 Payload Too Large");
  });

  test("headers that never end get 408", async () => {
    const { port } = await start([echo], { limits: { headersMs: 200 } });
    expect(await rawAsk(port, "GET / HTTP/1.1\r\nHost: x\r\nX: ")).toContain("408 Request Timeout");
  });

  test("a body that stops coming gets 408", async () => {
    const { port } = await start([echo], { limits: { headersMs: 200, requestMs: 300 } });
    expect(await rawAsk(port, post(port, "Transfer-Encoding: chunked"))).toContain("408 Request Timeout");
  });

  test("connections beyond the limit are closed, and there is room again when others go", async () => {
    const { port, url } = await start([hello], { limits: { connections: 2 } });
    const held = await Promise.all(
      [1, 2].map(
        () =>
          new Promise<ReturnType<typeof connect>>((resolve) => {
            const socket = connect(port, "127.0.0.1", () => resolve(socket));
          }),
      ),
    );
    await expect(ask(`${url}/hello`)).rejects.toThrow();
    for (const socket of held) {
      socket.destroy();
      await once(socket, "close");
    }
    await expect
      .poll(() =>
        ask(`${url}/hello`).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
  });

  test("headers too large get 431", async () => {
    const { port } = await start([echo]);
    const many = Array.from({ length: 5000 }, (_, n) => `X-${n}: y`).join("\r\n");
    expect(await rawAsk(port, `GET / HTTP/1.1\r\nHost: x\r\n${many}\r\n\r\n`)).toContain("431");
  });

  test("a client that leaves aborts what runs for it", async () => {
    const begun = deferred<AbortSignal>();
    const wait: Route = {
      ...hello,
      handle: async ({ signal }) => {
        begun.resolve(signal);
        await once(signal, "abort");
        return undefined;
      },
    };
    const { port } = await start([wait]);
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(`GET /hello HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`),
    );
    const signal = await begun.promise;
    socket.destroy();
    if (!signal.aborted) await once(signal, "abort");
    expect(signal.aborted).toBe(true);
  });

  test("a client that leaves aborts also what waits behind another request of its own", async () => {
    const signals: AbortSignal[] = [];
    const both = deferred<void>();
    const ends: number[] = [];
    const wait: Route = {
      ...hello,
      handle: async ({ signal }) => {
        if (signals.push(signal) === 2) both.resolve();
        await once(signal, "abort");
        return undefined;
      },
    };
    const { port } = await start([wait], { watch: () => (status) => ends.push(status) });
    const request = `GET /hello HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
    const socket = connect(port, "127.0.0.1", () => socket.write(request + request));
    await both.promise;
    socket.destroy();
    await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(ends).toHaveLength(2);
  });
});

describe("stopping", () => {
  test("streams end at once, work under way may finish", async () => {
    const streaming = deferred<void>();
    const working = deferred<void>();
    const finish = deferred<void>();
    const stopping = await start([
      {
        ...hello,
        path: "/stream",
        handle: ({ response }) => {
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.write("data: 1\n\n");
          streaming.resolve();
          return undefined;
        },
      },
      {
        ...hello,
        path: "/work",
        handle: async () => {
          working.resolve();
          await finish.promise;
          return { text: "done" };
        },
      },
    ]);
    const stream = ask(`${stopping.url}/stream`);
    const work = ask(`${stopping.url}/work`);
    await Promise.all([streaming.promise, working.promise]);
    const closed = stopping.close(10_000);
    expect((await stream).text).toBe("data: 1\n\n");
    finish.resolve();
    expect((await work).text).toBe("done");
    await closed;
  });

  test("what does not finish within the grace is cut", async () => {
    const begun = deferred<void>();
    const never = new Promise<undefined>(() => {});
    const handle = () => {
      begun.resolve();
      return never;
    };
    const stopping = await start([{ ...hello, handle }]);
    const work = ask(`${stopping.url}/hello`).catch((error: unknown) => String(error));
    await begun.promise;
    await stopping.close(50);
    expect(await work).toMatch(/hang up|ECONNRESET/);
  });
});
