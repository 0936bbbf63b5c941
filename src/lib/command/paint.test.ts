import { expect, test } from "vitest";
import { marksFor, paintFor } from "./paint.ts";

test.each([
  [{}, "✓"],
  [{ LANG: "en_US.UTF-8" }, "✓"],
  [{ LANG: "C.utf8" }, "✓"],
  [{ LANG: "C" }, "+"],
  [{ LANG: "de_DE.ISO-8859-1" }, "+"],
  [{ LANG: "en_US.UTF-8", LC_ALL: "C" }, "+"],
  [{ LANG: "en_US.UTF-8", LC_CTYPE: "POSIX" }, "+"],
  [{ LANG: "C", LC_CTYPE: "en_US.UTF-8", LC_ALL: "" }, "✓"],
])("with %j what is done has the mark %s", (env, mark) => {
  expect(marksFor(env).done).toBe(mark);
});

test("every mark of a terminal that knows only ASCII is ASCII", () => {
  expect(JSON.stringify(marksFor({ LC_ALL: "C" }))).toMatch(/^[\x20-\x7e]*$/);
});

test.each([
  ["a terminal", {}, true, true],
  ["no terminal", {}, false, false],
  ["NO_COLOR", { NO_COLOR: "1" }, true, false],
  ["an empty NO_COLOR", { NO_COLOR: "" }, true, true],
  ["TERM=dumb", { TERM: "dumb" }, true, false],
])("colours: %s", (_, env, isTTY, coloured) => {
  const paint = paintFor({ env, stdout: { isTTY } as NodeJS.WriteStream });
  expect(paint.bold("x") !== "x").toBe(coloured);
});
