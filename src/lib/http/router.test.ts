import { expect, test } from "vitest";
import { createRouter } from "./router.ts";

const router = createRouter([
  { method: "GET", path: "/" },
  { method: "GET", path: "/runs" },
  { method: "POST", path: "/runs" },
  { method: "GET", path: "/runs/{run}" },
  { method: "POST", path: "/runs/import" },
  { method: "GET", path: "/runs/{run}/files/{name}" },
]);

test.each([
  ["GET", "/", "/", {}],
  ["GET", "/runs", "/runs", {}],
  ["GET", "/runs/r1", "/runs/{run}", { run: "r1" }],
  ["GET", "/runs/a%2Fb", "/runs/{run}", { run: "a/b" }],
  ["POST", "/runs/import", "/runs/import", {}],
  ["GET", "/runs/import/files/x", "/runs/{run}/files/{name}", { run: "import", name: "x" }],
  ["GET", "/runs/constructor", "/runs/{run}", { run: "constructor" }],
])("%s %s → %s", (method, path, route, params) => {
  expect(router(method, path)).toMatchObject({ found: { path: route }, params });
});

test.each([
  ["DELETE", "/runs", { allow: ["GET", "POST"] }],
  ["GET", "/runs/", undefined],
  ["GET", "/runs//files/x", undefined],
  ["GET", "/nothing", undefined],
  ["GET", "/runs/%zz", undefined],
  ["GET", "/__proto__", undefined],
])("%s %s finds no route", (method, path, expected) => {
  expect(router(method, path)).toEqual(expected);
});

test("two routes for one place are a mistake of the programmer", () => {
  const twice = [{ path: "/a/{x}" }, { path: "/a/{y}" }];
  expect(() => createRouter(twice)).toThrow("two routes for GET /a/{y}");
});
