import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const folder = join(import.meta.dirname, "../docs/internals");

interface Row {
  number: string;
  tests: { file: string; title: string }[];
  /** Of the cell with the tests: what none of them accounts for. */
  rest: string;
  standing: string;
}

/** The cells of a table's line; a bar within a cell is escaped. */
const cellsOf = (line: string) =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());

function rowOf(line: string): Row[] {
  const [number = "", , named = "", standing = ""] = cellsOf(line);
  if (!/^\d{3}-\d+$/.test(number)) return [];
  const one = /\[[^\]]+\]\(([^)]+)\) "([^"]+)"/g;
  const tests = [...named.matchAll(one)].map(([, file = "", title = ""]) => ({ file: join(folder, file), title }));
  return [{ number, tests, rest: named.replace(one, "").replace(/[;\s–]/g, ""), standing }];
}

const rows = readFileSync(join(folder, "seeds.md"), "utf8").split("\n").flatMap(rowOf);

const texts = new Map<string, string>();
function textOf(file: string): string {
  const text = texts.get(file) ?? (existsSync(file) ? readFileSync(file, "utf8") : "");
  texts.set(file, text);
  return text;
}

/** A test, a group of them, or a case of a table: a text of its own, or the key of an entry. */
function has(text: string, title: string): boolean {
  const quoted = ['"', "'", "`"].some((quote) => text.includes(`${quote}${title}${quote}`));
  return quoted || (/^\w+$/.test(title) && new RegExp(`^\\s*${title}: `, "m").test(text));
}

describe("docs/internals/seeds.md", () => {
  test("numbers its rows from 1 in each document, none twice and none left out", () => {
    for (const document of ["000", "001", "002", "003", "004"]) {
      const numbers = rows.map(({ number }) => number).filter((number) => number.startsWith(document));
      expect(numbers.length, document).toBeGreaterThan(0);
      expect(numbers).toEqual(numbers.map((_, index) => `${document}-${index + 1}`));
    }
  });

  test("names tests that there are", () => {
    const gone = rows.flatMap(({ number, tests }) =>
      tests
        .filter(({ file, title }) => !has(textOf(file), title))
        .map(({ file, title }) => `${number}: ${file} "${title}"`),
    );
    expect(gone).toEqual([]);
    expect(rows.filter(({ rest }) => rest !== "").map(({ number, rest }) => `${number}: ${rest}`)).toEqual([]);
  });

  test("says of each row that it works, by a test, or why not, and where a user is told", () => {
    const told = ({ standing }: Row) =>
      [...standing.matchAll(/\]\(([^)]+)\)/g)].some(([, page = ""]) => existsSync(join(folder, page)));
    const wrong = rows.filter((row) => {
      if (/^works\b/.test(row.standing)) return row.tests.length === 0;
      if (/^otherwise: \S/.test(row.standing)) return !told(row);
      return !/^(not yet|no matter): \S/.test(row.standing);
    });
    expect(wrong.map(({ number, standing }) => `${number}: ${standing}`)).toEqual([]);
  });
});
