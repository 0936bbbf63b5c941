import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { bearerOf, newToken, sameToken } from "./token.ts";

test("a new token is 256 bits that fit a header", () => {
  expect(newToken()).toMatch(/^[\w-]{43}$/);
  expect(newToken()).not.toBe(newToken());
});

test.each([
  ["abc", "abc", true],
  ["abc", "abd", false],
  ["abc", "ab", false],
  ["", "", true],
  ["abc", "", false],
])("%j and %j: %s", (a, b, same) => {
  expect(sameToken(a, b)).toBe(same);
});

test.each([
  ["Bearer abc-_1", "abc-_1"],
  ["bearer  abc", "abc"],
  ["Basic abc", undefined],
  ["Bearer ", undefined],
  ["Bearer a b", undefined],
  [undefined, undefined],
])("%j carries %j", (authorization, token) => {
  expect(bearerOf({ headers: { authorization } } as IncomingMessage)).toBe(token);
});
