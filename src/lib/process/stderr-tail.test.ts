import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { stderrTail } from "./stderr-tail.ts";

const at = temporaryFolder();
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `line ${from + n}`).join("\n");

const cases: Record<string, { bytes: string | Buffer; from?: number; shown: string }> = {
  nothing: { bytes: "", shown: "" },
  "a line": { bytes: "it failed\n", shown: "it failed" },
  "the last twenty lines": { bytes: `${lines(1, 100)}\n`, shown: lines(81, 100) },
  "of a very long line its end is not shown as if it were all": {
    bytes: `start ${"x".repeat(9000)}\nshort\n`,
    shown: "short",
  },
  "colours, titles and links": {
    bytes:
      "\u001b[1;31mred\u001b[0m \u001b]0;title\u0007\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\ \u001b[2K\u001b(Bend",
    shown: "red link end",
  },
  "control characters": { bytes: "a\u0000b\u0007c\u0008\td\u007f\u009be", shown: "abc\tde" },
  "text that runs backwards": { bytes: "safe\u202egnp.exe\u2066", shown: "safegnp.exe" },
  "invalid UTF-8": { bytes: Buffer.from([0x61, 0xff, 0xc3, 0x0a, 0x62, 0xc3]), shown: "a\ufffd\ufffd\nb\ufffd" },
  "CR LF and progress bars": { bytes: "one\r\ntwo\r10%\r20%\r\r\n", shown: "one\ntwo\n10%\n20%" },
  "only what this program wrote": { bytes: "of the first\nof the second\n", from: 13, shown: "of the second" },
  "a file that became shorter": { bytes: "new\n", from: 1000, shown: "new" },
};

test.each(Object.entries(cases))("%s", (name, { bytes, from, shown }) => {
  const path = join(at, name.replaceAll(" ", "-"));
  writeFileSync(path, bytes);
  expect(stderrTail(path, from)).toBe(shown);
});

test("one line longer than what is read shows its end", () => {
  const path = join(at, "endless");
  writeFileSync(path, `${"x".repeat(10_000)}the end`);
  expect(stderrTail(path)).toMatch(/^x+the end$/);
});

test("the cut does not go through a character", () => {
  const path = join(at, "cut");
  for (let shift = 0; shift < 4; shift += 1) {
    writeFileSync(path, `${"x".repeat(shift)}${"é".repeat(3000)}\n${"ü\n".repeat(5)}`);
    expect(stderrTail(path)).toBe("ü\nü\nü\nü\nü");
  }
});

test("what can't be read shows nothing", () => {
  mkdirSync(join(at, "folder"));
  symlinkSync("/etc/passwd", join(at, "link"));
  for (const name of ["none", "folder", "link"]) expect(stderrTail(join(at, name))).toBe("");
});
