import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { freeName, holderIn, moveFile, takeFile } from "./taken-file.ts";

const here = { boot: "this-boot", namespace: "pid:[1]" };
const one = { pid: 1, start: "100", ...here };
const two = { pid: 2, start: "Mon Nov 2 09:15:01 2026", ...here };

test("of several one takes it; from a dead one's name the next does; it can be given back", () => {
  const folder = temporaryFolder();
  const free = join(folder, "a.json");
  writeFileSync(free, "");
  const taken = takeFile(free, one) ?? "";
  expect(takeFile(free, two)).toBeUndefined();
  expect(holderIn(taken, here)).toEqual(one);
  const next = takeFile(taken, two) ?? "";
  expect(takeFile(taken, one)).toBeUndefined();
  expect(holderIn(next, here)).toEqual(two);
  expect(freeName(next)).toBe(free);
  expect(readdirSync(folder)).toHaveLength(1);
  expect(moveFile(next, free)).toBe(true);
  expect(moveFile(next, free)).toBe(false);
  expect(existsSync(free)).toBe(true);
});

const encoded = (text: string) => Buffer.from(text).toString("base64url");

test.each([
  ["free", "a.json", undefined],
  ["a name that nobody gave", "a.json.bak", undefined],
  ["a healer of an earlier version", `a.json.7-${encoded("100")}`, { ...here, pid: 7, start: "100" }],
  ["one on macOS", `a.json.7-${encoded(two.start)}`, { ...here, pid: 7, start: two.start }],
  ["a sender of an earlier version", `a.json.7-${encoded("b-1 100")}`, { ...here, pid: 7, start: "100", boot: "b-1" }],
])("holder of %s", (_, name, holder) => {
  expect(holderIn(`/x/${name}`, here)).toEqual(holder);
});
