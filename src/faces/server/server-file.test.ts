import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openHome } from "../../core/store/home.ts";
import { ourselves } from "../../core/tasks/presence.ts";
import { claimServer, findServer } from "./server-file.ts";

const url = "http://127.0.0.1:4717";

test("a home has one server at a time, and none after it was released", () => {
  const home = openHome(temporaryFolder());
  const claim = claimServer(home, url, 0);
  expect(findServer(home)).toMatchObject({ pid: process.pid, url });
  expect(() => claimServer(home, "http://other", 0)).toThrow(`${url} (process ${process.pid})`);
  claim.release();
  expect(findServer(home)).toBeUndefined();
  expect(readdirSync(home.root).filter((name) => name.startsWith("server"))).toEqual([]);
});

test.each([
  ["a dead process", { ...ourselves(), start: "1", url }],
  ["a time before the last boot", { ...ourselves(), boot: "another", url }],
  ["nothing that can be read", "{"],
])("what was left by %s is replaced", (_, left) => {
  const home = openHome(temporaryFolder());
  const path = join(home.root, "server.json");
  writeFileSync(path, typeof left === "string" ? left : JSON.stringify(left));
  expect(findServer(home)).toBeUndefined();
  claimServer(home, url, 0);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: process.pid });
});

test("one of another machine can't be judged, and is left alone", () => {
  const home = openHome(temporaryFolder());
  const path = join(home.root, "server.json");
  writeFileSync(path, JSON.stringify({ ...ourselves(), pid: 1, namespace: "another", url }));
  expect(() => claimServer(home, "http://other", 0)).toThrow(url);
  expect(existsSync(path)).toBe(true);
});

test("a release removes only what is one's own", () => {
  const home = openHome(temporaryFolder());
  const claim = claimServer(home, url, 0);
  const path = join(home.root, "server.json");
  writeFileSync(path, JSON.stringify({ ...ourselves(), pid: 1, url }));
  claim.release();
  expect(existsSync(path)).toBe(true);
});
