import { describe, expect, test } from "vitest";
import { isAllowedImage } from "./images.ts";
import { imageCases } from "./test-images.ts";

describe("--allow-image", () => {
  test.each(imageCases)("%s, image %s: %s", (prefix, image, admitted) => {
    expect(isAllowedImage(image, [prefix])).toBe(admitted);
  });

  test("one of several is enough, none admits nothing", () => {
    expect(isAllowedImage("c/d:1", ["a/b", "c/d"])).toBe(true);
    expect(isAllowedImage("c/d:1", [])).toBe(false);
  });
});
