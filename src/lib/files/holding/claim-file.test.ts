import { createHash } from "node:crypto";
import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { claimFile, releaseClaim } from "./claim-file.ts";

const isLeft = (text: string) => text.startsWith("dead");

test("a claim is the first one's until it is released; nobody releases another's", () => {
  const path = join(temporaryFolder(), "claim");
  expect(claimFile(path, "one", isLeft)).toBeUndefined();
  expect(claimFile(path, "two", isLeft)).toBe("one");
  releaseClaim(path, "two");
  expect(claimFile(path, "two", isLeft)).toBe("one");
  releaseClaim(path, "one");
  expect(claimFile(path, "two", isLeft)).toBeUndefined();
});

/** The claim on removing what says this. */
const removalOf = (path: string, text: string) =>
  `${path}.${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;

function left(...removers: readonly string[]): { folder: string; path: string } {
  const folder = temporaryFolder();
  const path = join(folder, "claim");
  writeFileSync(path, "dead");
  let [file, text] = [path, "dead"];
  for (const remover of removers) {
    file = removalOf(file, text);
    text = remover;
    writeFileSync(file, text);
  }
  return { folder, path };
}

test.each([
  ["a dead one", []],
  ["a dead one, while whoever took it over died", ["dead healer"]],
  ["a dead one, while two died one after the other", ["dead healer", "dead healer's healer"]],
])("a claim of %s is taken over, and nothing stays beside it", (_, removers) => {
  const { folder, path } = left(...removers);
  expect(claimFile(path, "one", isLeft)).toBeUndefined();
  expect(readFileSync(path, "utf8")).toBe("one");
  expect(readdirSync(folder)).toEqual(["claim"]);
});

test("what one who lives is clearing away is left to it", () => {
  const { path } = left("alive");
  expect(claimFile(path, "one", isLeft)).toBe("dead");
  expect(readFileSync(removalOf(path, "dead"), "utf8")).toBe("alive");
});

test("one without content may just be written; later it is nobody's", () => {
  const path = join(temporaryFolder(), "claim");
  writeFileSync(path, "");
  expect(claimFile(path, "one", () => true)).toBe("");
  const earlier = Date.now() / 1000 - 60;
  utimesSync(path, earlier, earlier);
  expect(claimFile(path, "one", () => true)).toBeUndefined();
});
