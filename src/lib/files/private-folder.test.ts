import { chmodSync, chownSync, lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import {
  type Facts,
  openPrivateFolder,
  requireOwnPlace,
  requireOwnSocket,
  requirePrivateFolder,
  whyReplaceable,
  whyShared,
} from "./private-folder.ts";

const own = 1000;
const folder = (uid: number, mode: number): Facts => ({ kind: "folder", uid, mode: mode | 0o040000 });

describe("a folder of ours alone", () => {
  test.each<[string, Facts, string | undefined]>([
    ["as we make it", folder(own, 0o700), undefined],
    ["that others may enter", folder(own, 0o711), "chmod 700 /x"],
    ["that others may read", folder(own, 0o755), "chmod 700 /x"],
    ["that its group may read", folder(own, 0o750), "chmod 700 /x"],
    ["of another account", folder(1001, 0o700), "uid 1001"],
    ["of root", folder(0, 0o700), "uid 0"],
    ["a link", { kind: "link", uid: own, mode: 0o777 }, "link"],
    ["a file", { kind: "other", uid: own, mode: 0o600 }, "not a folder"],
  ])("%s", (_, facts, why) => {
    const said = whyShared("/x", facts, own);
    if (why === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(why);
  });

  test("root is no exception: a person's own folder is not root's", () => {
    expect(whyShared("/home/ada/.coxswain", folder(own, 0o700), 0)).toContain("run cox as that account");
  });

  test("is made closed, and taken again", () => {
    const path = join(temporaryFolder(), "a", "b");
    openPrivateFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    openPrivateFolder(path);
  });

  test("is not taken through a link, nor while it is open to others", () => {
    const root = temporaryFolder();
    symlinkSync(temporaryFolder(), join(root, "link"));
    mkdirSync(join(root, "open"));
    chmodSync(join(root, "open"), 0o770);
    for (const name of ["link", "open"]) {
      expect(() => openPrivateFolder(join(root, name))).toThrow(expect.objectContaining({ code: "store.shared" }));
    }
    expect(lstatSync(join(root, "open")).mode & 0o777).toBe(0o770);
    expect(() => requirePrivateFolder(join(root, "missing"))).not.toThrow();
  });

  test("may be a person's own link, to a folder that is as it should be", () => {
    const root = temporaryFolder();
    symlinkSync(temporaryFolder(), join(root, "closed"));
    mkdirSync(join(root, "open"), { mode: 0o755 });
    chmodSync(join(root, "open"), 0o755);
    symlinkSync(join(root, "open"), join(root, "loose"));
    requirePrivateFolder(join(root, "closed"), { through: true });
    expect(() => requirePrivateFolder(join(root, "loose"), { through: true })).toThrow("chmod 700");
  });

  test.runIf(process.getuid?.() === 0)("of another account is refused, also by root", () => {
    const path = temporaryFolder();
    chownSync(path, 1234, 1234);
    expect(() => openPrivateFolder(path)).toThrow("uid 1234");
    expect(() => requireOwnPlace(path)).toThrow("uid 1234");
    const socket = join(temporaryFolder(), "s");
    writeFileSync(socket, "");
    chownSync(socket, 1234, 1234);
    expect(() => requireOwnSocket(socket)).toThrow("uid 1234");
  });
});

describe("a folder that a person chose for a socket", () => {
  test.each<[string, Facts, string | undefined]>([
    ["their own", folder(own, 0o755), undefined],
    ["/tmp", folder(0, 0o1777), undefined],
    ["/run", folder(0, 0o755), undefined],
    ["that others may write into", folder(own, 0o777), "chmod go-w"],
    ["that its group may write into", folder(own, 0o775), "chmod go-w"],
    ["somebody else's", folder(1001, 0o755), "uid 1001"],
    ["somebody else's, sticky", folder(1001, 0o1777), "uid 1001"],
  ])("%s", (_, facts, why) => {
    const said = whyReplaceable("/x", facts, own);
    if (why === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(why);
  });
});
