import { describe, expect, test } from "vitest";
import { decodeDigest, digestedText, encodeDigest, MAX_TERMINATION_BYTES } from "./outputs-digest.ts";

const sha256 = "f".repeat(64);

describe("the termination message", () => {
  test("says everything when there is room", () => {
    const outputs = ["branch: main", "commit: abc", "response: aGk="];
    expect(decodeDigest(encodeDigest(outputs, sha256))).toEqual({ coxswain: 1, outputs, sha256 });
  });

  test("keeps the short lines and names the others", () => {
    const outputs = ["branch: main", `response: ${"A".repeat(5000)}`, "commit: abc"];
    const text = encodeDigest(outputs, sha256, "it broke");
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_TERMINATION_BYTES);
    expect(decodeDigest(text)).toEqual({
      coxswain: 1,
      outputs: ["branch: main", "commit: abc"],
      omitted: ["response"],
      sha256,
      failure: "it broke",
    });
  });

  test("fits whatever the outputs are", () => {
    const outputs = Array.from({ length: 500 }, (_, at) => `pr: https://example.org/ü/${at}`);
    const text = encodeDigest(outputs, sha256, "ü".repeat(100_000));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_TERMINATION_BYTES);
    expect(decodeDigest(text)?.omitted).toEqual(["pr"]);
  });

  test.each([
    "",
    "Killed",
    "{}",
    "[]",
    "null",
    '{"coxswain":2,"outputs":[],"sha256":""}',
    '{"coxswain":1,"outputs":"branch: x","sha256":""}',
    '{"coxswain":1,"outputs":[1],"sha256":""}',
    '{"coxswain":1,"outputs":[]}',
    '{"coxswain":1,',
  ])("%s is not one of ours", (message) => {
    expect(decodeDigest(message)).toBeUndefined();
  });

  test("two lines are not one line with a newline's place taken", () => {
    expect(digestedText(["a", "b"])).not.toBe(digestedText(["a b"]));
    expect(digestedText(["a", "b"])).toBe("a\nb\n");
  });
});
