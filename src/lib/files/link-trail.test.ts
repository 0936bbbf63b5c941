import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { linkTrail } from "./link-trail.ts";

const at = realpathSync(temporaryFolder());
mkdirSync(join(at, "real/bin"), { recursive: true });
mkdirSync(join(at, "workspace"));
writeFileSync(join(at, "real/bin/tool"), "");
symlinkSync("real", join(at, "relative"));
symlinkSync(join(at, "real"), join(at, "absolute"));
symlinkSync("../real/bin", join(at, "workspace/bin"));
symlinkSync(join(at, "workspace/bin"), join(at, "through"));
symlinkSync("ring", join(at, "ring"));

test.each([
  ["real/bin/tool", ["real/bin/tool"]],
  ["real/bin/../bin/./tool", ["real/bin/tool"]],
  ["relative/bin/tool", ["relative", "real/bin/tool"]],
  ["absolute/bin/tool", ["absolute", "real/bin/tool"]],
  ["through/tool", ["through", "workspace/bin", "real/bin/tool"]],
  ["missing/tool", ["missing/tool"]],
])("%s is decided by %j", (path, expected) => {
  expect(linkTrail(`${at}/${path}`)).toEqual(expected.map((place) => join(at, place)));
});

test("a ring comes to an end", () => {
  expect(linkTrail(join(at, "ring/x")).at(-1)).toBe(join(at, "ring/x"));
});
