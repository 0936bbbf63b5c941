import { expect, test } from "vitest";
import { readTable, renderTable } from "../../scripts/agents-table.ts";
import { readResults } from "../real-agents/results.ts";
import { list } from "./conform.ts";

test("the page says what the results say: npm run test:agents with UPDATE_TABLE=1 writes both", () => {
  expect(readTable()).toBe(renderTable(readResults()));
});

test.each(Object.entries(readResults()))("%s was tried with the whole list", (_, behaviours) => {
  expect(Object.keys(behaviours)).toEqual(Object.keys(list));
});
