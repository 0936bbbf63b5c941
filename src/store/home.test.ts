import { userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { homePath } from "./home.ts";

afterEach(() => vi.unstubAllEnvs());

describe("the state folder", () => {
  test.each([
    ["named", { COX_HOME: "/elsewhere" }, "/somebody", "/elsewhere"],
    ["in the home folder", {}, "/somebody", "/somebody/.coxswain"],
    ["named by nothing", { COX_HOME: "" }, "/somebody", "/somebody/.coxswain"],
    ["never where one happens to be", {}, "", join(userInfo().homedir, ".coxswain")],
  ])("%s", (_, env, home, expected) => {
    vi.stubEnv("HOME", home);
    expect(homePath(env)).toBe(expected);
  });
});
