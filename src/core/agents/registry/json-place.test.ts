import { expect, test } from "vitest";
import { brokenAt } from "./json-place.ts";

const cases: Record<string, [text: string, line: number, column: number]> = {
  "a comma too many in an object": ['{\n  "a": 1,\n}', 3, 1],
  "a comma too many in a list": ["[1, 2, ]", 1, 8],
  "a missing comma": ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
  "a bare word": ['{ "a": yes }', 1, 8],
  "single quotes": ["{ 'a': 1 }", 1, 3],
  "a comment": ['{\n  // my agent\n  "a": 1\n}', 2, 3],
  "an end too early": ['{ "agents": [', 1, 14],
  "a string that isn't closed": ['{ "a": "b }', 1, 8],
  "a bracket that closes a brace": ['{ "a": 1 ]', 1, 10],
  "something after the end": ["[] x", 1, 4],
  "a leading zero": ["[01]", 1, 3],
  "nothing at all": ["", 1, 1],
  "a missing colon": ['{ "a" 1 }', 1, 7],
};

test.each(Object.entries(cases))("%s", (_, [text, line, column]) => {
  expect(() => JSON.parse(text)).toThrow();
  expect(brokenAt(text)).toEqual({ line, column });
});
