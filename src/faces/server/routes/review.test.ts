import { describe, expect, test } from "vitest";
import type { LineComment } from "../../../core/store/review.ts";
import { messageOf } from "./review.ts";

const comment = (over: Partial<LineComment>): LineComment => ({
  id: "1",
  path: "a.ts",
  line: 1,
  side: "new",
  text: "why?",
  quote: "",
  by: "ann",
  at: "2026-01-01T00:00:00Z",
  ...over,
});

describe("a review as one message", () => {
  test("file by file, line by line, each with the line as it was", () => {
    const comments = [
      comment({ path: "b.ts", line: 3, text: "rename it" }),
      comment({ line: 20, quote: "const x = 1;" }),
      comment({ line: 7, side: "old", text: "keep this" }),
    ];
    expect(messageOf(" Please: ", comments)).toBe(
      "Please:\n\na.ts:7 (before the change)\nkeep this\n\na.ts:20\n> const x = 1;\nwhy?\n\nb.ts:3\nrename it",
    );
  });

  test("only a text", () => {
    expect(messageOf("No.", [])).toBe("No.");
  });
});
