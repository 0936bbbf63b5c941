import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openHome } from "../../../core/store/home.ts";
import { KEY_LIFE_MS, makeLoginKey, useLoginKey } from "./login-keys.ts";

const NOW = Date.parse("2026-08-01T12:00:00Z");

test.each([
  ["at once", 0, true],
  ["at the last moment", KEY_LIFE_MS, true],
  ["too late", KEY_LIFE_MS + 1, false],
  ["before it was made", -1, false],
])("a key used %s", (_, after, fits) => {
  const home = openHome(temporaryFolder());
  const key = makeLoginKey(home, NOW);
  expect(useLoginKey(home, key, NOW + after)).toBe(fits);
  expect(useLoginKey(home, key, NOW + after)).toBe(false);
});

test("only the key itself opens, and it lies nowhere", () => {
  const home = openHome(temporaryFolder());
  const key = makeLoginKey(home, NOW);
  const folder = join(home.root, "logins");
  const [file = ""] = readdirSync(folder);
  expect(file).not.toContain(key);
  expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  expect(useLoginKey(home, file, NOW)).toBe(false);
  expect(useLoginKey(home, "", NOW)).toBe(false);
  expect(useLoginKey(home, key, NOW)).toBe(true);
});

test("old ones are cleared away when a new one is made", () => {
  const home = openHome(temporaryFolder());
  makeLoginKey(home, NOW - KEY_LIFE_MS - 1);
  writeFileSync(join(home.root, "logins", "damaged"), "x");
  makeLoginKey(home, NOW);
  expect(readdirSync(join(home.root, "logins"))).toHaveLength(1);
});
