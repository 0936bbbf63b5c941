import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const known = ["run", "rules", "ls", "logs", "serve", "completion", "agent", "attach"];

test.each([
  ["rnu", ["run"]],
  ["ru", ["run", "rules"]],
  ["runn", ["run"]],
  ["sevre", ["serve"]],
  ["compeltoin", ["completion"]],
  ["agnet", ["agent"]],
  ["log", ["logs"]],
  ["xyz", []],
  ["x", []],
  ["", []],
])("%s is near %j", (word, words) => {
  expect(nearest(word, known)).toEqual(words);
});
