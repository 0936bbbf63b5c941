import { chmodSync, chownSync, mkdirSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { homePath, openHome, requirePrivateHome } from "./home.ts";

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

  test("is made closed to others", () => {
    const root = join(temporaryFolder(), "new");
    openHome(root);
    expect([root, join(root, "hosts")].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
  });

  test.each([0o755, 0o750, 0o777, 0o710])("is refused while it is open to others, and left so: %o", (mode) => {
    const root = join(temporaryFolder(), "open");
    mkdirSync(root);
    chmodSync(root, mode);
    expect(() => openHome(root)).toThrow(`chmod 700 ${root}`);
    expect(() => requirePrivateHome(root)).toThrow(expect.objectContaining({ code: "store.shared" }));
    expect(statSync(root).mode & 0o777).toBe(mode);
  });

  test.runIf(process.getuid?.() === 0)("is refused when it is somebody else's, as with sudo", () => {
    const root = temporaryFolder();
    chownSync(root, 1234, 1234);
    expect(() => openHome(root)).toThrow("belongs to uid 1234, and this is uid 0");
    expect(() => requirePrivateHome(root)).toThrow("COX_HOME");
  });
});
