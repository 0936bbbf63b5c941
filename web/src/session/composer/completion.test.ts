import { describe, expect, test } from "vitest";
import { completionAt, insertAt } from "./completion.ts";

describe("completing a prompt", () => {
  test.each([
    ["/sl", { kind: "command", typed: "sl" }],
    ["look at @src/ma", { kind: "file", typed: "src/ma" }],
    ["@", { kind: "file", typed: "" }],
    ["a/b", undefined],
    ["mail ada@example", undefined],
    ["say /sl", undefined],
  ])("%s", (text, found) => {
    const completion = completionAt(text, text.length);
    if (found === undefined) expect(completion).toBeUndefined();
    else expect(completion).toMatchObject(found);
  });

  test("puts the word in the place of what was typed", () => {
    const text = "see @ma and go on";
    const completion = completionAt(text, 7);
    expect(completion && insertAt(text, completion, "src/main.ts")).toEqual({
      text: "see @src/main.ts and go on",
      cursor: 17,
    });
  });
});
