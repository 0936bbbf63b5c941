import { describe, expect, test } from "vitest";
import { AppError } from "../../../contract/errors.ts";
import type { Access, Identity } from "../route.ts";
import { checkAccess, checkContentType, checkCookie, checkHost, checkOrigin, checkTarget, urlOf } from "./gate.ts";

const hosts = ["127.0.0.1:4717", "localhost:4717", "[::1]:4717"];

function codeOf(run: () => unknown): string {
  try {
    run();
    return "passes";
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

describe("the Host header", () => {
  test.each([
    ["ours", ["Host", "127.0.0.1:4717"], "passes"],
    ["ours in capitals", ["HOST", "LocalHost:4717"], "passes"],
    ["IPv6", ["host", "[::1]:4717"], "passes"],
    ["none", [], "http.invalid"],
    ["empty", ["Host", ""], "http.invalid"],
    ["two", ["Host", "127.0.0.1:4717", "host", "127.0.0.1:4717"], "http.invalid"],
    ["a value named host is no header", ["X", "host", "Host", "localhost:4717"], "passes"],
    ["with a path", ["Host", "127.0.0.1:4717/x"], "http.invalid"],
    ["with a user", ["Host", "x@127.0.0.1:4717"], "http.invalid"],
    ...[
      "evil.com:4717",
      "127.0.0.1.evil.com",
      "localhost.evil.com",
      "0.0.0.0:4717",
      "127.1:4717",
      "2130706433:4717",
    ].map((host): [string, string[], string] => [host, ["Host", host], "http.forbidden"]),
    ["another port", ["Host", "127.0.0.1:80"], "http.forbidden"],
    ["no port", ["Host", "localhost"], "http.forbidden"],
    ["a dot at the end", ["Host", "localhost.:4717"], "http.forbidden"],
  ])("%s", (_, headers, expected) => {
    expect(codeOf(() => checkHost(headers, hosts))).toBe(expected);
  });

  test("any, where a server is reached by names nobody knows", () => {
    expect(checkHost(["Host", "10.1.2.3:9000"], ["*"])).toBe("10.1.2.3:9000");
  });
});

describe("the path", () => {
  test.each(["/", "/api/v1/runs", "/a.b/..c/c..", "/%2fetc", "/%E2%82%AC", "/x?path=../y"])("%s passes", (path) => {
    expect(checkTarget(path)).toBe(path.split("?")[0]);
  });
  test.each([
    "",
    "http://127.0.0.1/x",
    "*",
    "/../x",
    "/a/..",
    "/a/./b",
    "/%2e%2e/x",
    "/%2e%2e%2fx",
    "/..%5cx",
    "/a\\b",
    "/a%00",
    "/a%0d%0ab",
    "/%",
    "/%ff",
    "/é",
    "/a#b",
  ])("%s is refused", (path) => {
    expect(codeOf(() => checkTarget(path))).toBe("http.invalid");
  });
});

describe("where a request comes from", () => {
  test.each([
    ["a program", {}, "passes"],
    ["our page", { origin: "http://127.0.0.1:4717", "sec-fetch-site": "same-origin" }, "passes"],
    ["our page by its other name", { origin: "http://localhost:4717" }, "passes"],
    ["our page behind TLS", { origin: "https://localhost:4717" }, "passes"],
    ["the address bar", { "sec-fetch-site": "none" }, "passes"],
    ["another page", { origin: "http://evil.com" }, "http.forbidden"],
    ["another port of this machine", { origin: "http://localhost:3000" }, "http.forbidden"],
    ["a sandboxed frame", { origin: "null" }, "http.forbidden"],
    ["a same-site page", { "sec-fetch-site": "same-site" }, "http.forbidden"],
    ["a cross-site image", { "sec-fetch-site": "cross-site" }, "http.forbidden"],
    ["our origin, but a lie", { origin: "http://localhost:4717", "sec-fetch-site": "cross-site" }, "http.forbidden"],
  ])("%s", (_, headers, expected) => {
    expect(codeOf(() => checkOrigin(headers, "127.0.0.1:4717", hosts))).toBe(expected);
  });
});

describe("the content type", () => {
  test.each([
    ["JSON", { "content-type": "application/json; charset=utf-8", "content-length": "2" }, "passes"],
    ["nothing", {}, "passes"],
    ["a length of nothing", { "content-length": "0" }, "passes"],
    ["a body without a type", { "content-length": "2" }, "http.media_type"],
    ["chunks without a type", { "transfer-encoding": "chunked" }, "http.media_type"],
    ["text", { "content-type": "text/plain" }, "http.media_type"],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }, "http.media_type"],
    ["JSON by its end", { "content-type": "text/plain; x=application/json" }, "http.media_type"],
    ["a zipped body", { "content-type": "application/json", "content-encoding": "gzip" }, "http.media_type"],
  ])("%s", (_, headers, expected) => {
    expect(codeOf(() => checkContentType(headers, ["application/json"]))).toBe(expected);
  });
});

describe("access", () => {
  const who = (scope: Identity["scope"]): Identity => ({ name: "t", scope });
  test.each<[Access, Identity | undefined, boolean, string]>([
    ["open", undefined, false, "passes"],
    ["loopback", undefined, true, "passes"],
    ["loopback", undefined, false, "auth.required"],
    ["loopback", who("read"), false, "passes"],
    ["loopback", who("import"), false, "auth.scope"],
    ["read", undefined, true, "auth.required"],
    ["read", who("read"), false, "passes"],
    ["read", who("all"), false, "passes"],
    ["read", who("import"), false, "auth.scope"],
    ["import", who("read"), false, "auth.scope"],
    ["import", who("import"), false, "passes"],
    ["import", who("all"), false, "passes"],
    ["all", who("read"), false, "auth.scope"],
    ["all", who("import"), false, "auth.scope"],
    ["all", who("all"), false, "passes"],
    ["run", who("run"), false, "passes"],
    ["run", who("all"), false, "auth.scope"],
    ["run", undefined, true, "auth.required"],
    ["read", who("run"), false, "auth.scope"],
    ["all", who("run"), false, "auth.scope"],
  ])("%s for %j (local: %s): %s", (access, identity, local, expected) => {
    expect(codeOf(() => checkAccess(access, identity, local))).toBe(expected);
  });
});

test.each(["[", "a:b:c", ":80"])("a Host that is none (%s), where any would do", (host) => {
  expect(codeOf(() => urlOf(checkHost(["Host", host], ["*"]), "/"))).toBe("http.invalid");
});

test.each([
  ["our page", "cookie", { origin: "http://localhost:4717" }, "passes"],
  ["our page, without an origin", "cookie", { "sec-fetch-site": "same-origin" }, "passes"],
  ["who knows", "cookie", {}, "http.forbidden"],
  ["a program with a token", "ci", {}, "passes"],
])("a change by %s", (_, name, headers, expected) => {
  expect(codeOf(() => checkCookie(headers, { name, scope: "all" }))).toBe(expected);
});
