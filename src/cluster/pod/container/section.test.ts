import { expect, test } from "vitest";
import { withSection } from "./section.ts";

test.each([
  ["an empty file", ""],
  ["a file of the image's", "Be kind.\n"],
  ["one without a newline at its end", "Be kind."],
  ["one that ends with blank lines", "Be kind.\n\n"],
])("%s: said once, however often; taken away without a trace", (_, before) => {
  const once = withSection(before, "Say AHOY.\n");
  expect(withSection(once, "Say AHOY.")).toBe(once);
  const other = withSection(withSection(once, "Say GOOD DAY."), "Say GOOD DAY.");
  expect(other.match(/GOOD DAY/g)).toHaveLength(1);
  expect(other).not.toContain("AHOY");
  expect(withSection(once, "").trim()).toBe(before.trim());
  if (before !== "") expect(other.startsWith("Be kind.\n")).toBe(true);
});

test("what somebody wrote behind it stays", () => {
  const text = `${withSection("Be kind.\n", "Say AHOY.")}Be brief.\n`;
  expect(withSection(text, "")).toBe("Be kind.\nBe brief.\n");
});
