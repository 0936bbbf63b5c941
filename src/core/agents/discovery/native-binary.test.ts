import { expect, test } from "vitest";
import { type Machine, nativeBinary } from "./native-binary.ts";

function machine(files: readonly string[], links: Readonly<Record<string, string>> = {}): Machine {
  return {
    platform: "linux",
    arch: "x64",
    exists: (file) => files.includes(file),
    realpath: (file) => links[file] ?? file,
  };
}

const modules = "/usr/lib/node_modules/@openai";
const script = `${modules}/codex/bin/codex.js`;
const links = { "/usr/bin/codex": script };
const triple = "vendor/x86_64-unknown-linux-musl";

const cases: Record<string, [files: string[], started: string]> = {
  "beside the wrapper": [
    [`${modules}/codex-linux-x64/${triple}/bin/codex`],
    `${modules}/codex-linux-x64/${triple}/bin/codex`,
  ],
  "inside the wrapper's package": [
    [`${modules}/codex/node_modules/@openai/codex-linux-x64/${triple}/bin/codex`],
    `${modules}/codex/node_modules/@openai/codex-linux-x64/${triple}/bin/codex`,
  ],
  "in the package itself, as older versions have it": [
    [`${modules}/codex/${triple}/codex/codex`],
    `${modules}/codex/${triple}/codex/codex`,
  ],
  "nowhere: then the wrapper": [[], "/usr/bin/codex"],
};

test.each(Object.entries(cases))("codex %s", (_, [files, started]) => {
  expect(nativeBinary("/usr/bin/codex", machine(files, links))).toBe(started);
});

test("on a Mac", () => {
  const file = `${modules}/codex-darwin-arm64/vendor/aarch64-apple-darwin/bin/codex`;
  expect(nativeBinary("/usr/bin/codex", { ...machine([file], links), platform: "darwin", arch: "arm64" })).toBe(file);
});

test("a codex that is no npm wrapper, and any other program, stay as they are", () => {
  expect(nativeBinary("/opt/homebrew/bin/codex", machine([]))).toBe("/opt/homebrew/bin/codex");
  expect(nativeBinary("/usr/bin/claude", machine([]))).toBe("/usr/bin/claude");
});
