import { chmodSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { distrust } from "./distrust.ts";
import { interpreterIn, withInterpreter } from "./interpreter.ts";

test.each([
  ["#!/usr/bin/env node", ["node"]],
  ["#! /usr/bin/env  python3 -u", ["python3", "-u"]],
  ["#!/usr/bin/env -S node --no-warnings", ["node", "--no-warnings"]],
  ["#!/bin/env ruby", ["ruby"]],
  ["#!/usr/bin/node", undefined],
  ["#!/bin/sh", undefined],
  ["#!/usr/bin/env X=1 node", undefined],
  ["\u007fELF", undefined],
  ["", undefined],
])("%j wants %j", (line, words) => {
  expect(interpreterIn(line)).toEqual(words);
});

test("the interpreter of a script comes from where agents can't write", () => {
  const at = realpathSync(temporaryFolder());
  for (const folder of ["workspace/bin", "own"]) mkdirSync(join(at, folder), { recursive: true });
  for (const file of ["workspace/bin/node", "own/node"]) writeFileSync(join(at, file), "", { mode: 0o755 });
  const script = join(at, "own/claude");
  writeFileSync(script, "#!/usr/bin/env node\nrun()\n");
  chmodSync(script, 0o755);
  const path = `${at}/workspace/bin:${at}/own`;
  expect(withInterpreter(script, path)).toEqual([script]); // nothing says yet that it is a workspace
  distrust([join(at, "workspace")]);
  expect(withInterpreter(script, path)).toEqual([join(at, "own/node"), script]);
  expect(withInterpreter(join(at, "own/node"), path)).toEqual([join(at, "own/node")]);
  expect(withInterpreter(script, `${at}/own`)).toEqual([script]);
});
