import { expect, test } from "vitest";
import { readReference, renderReference, writeReference } from "../scripts/api-reference.ts";
import { api } from "../src/contract/api/index.ts";
import { openApi } from "../src/faces/server/api/openapi.ts";

test("docs/user/api.md says what the API is: UPDATE_API=1 npx vitest run test/api-reference.test.ts writes it", () => {
  if (process.env.UPDATE_API === "1") writeReference();
  expect(readReference()).toBe(renderReference());
});

test("every operation is in it once", () => {
  const text = renderReference();
  for (const key of Object.keys(api)) expect(text.split(`### \`${key}\`\n`)).toHaveLength(2);
});

test("the document is the same each time, and every reference leads somewhere", () => {
  const document = openApi();
  const text = JSON.stringify(document);
  expect(JSON.stringify(openApi())).toBe(text);
  const refs = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name = ""]) => name);
  expect(refs.length).toBeGreaterThan(50);
  expect(refs.filter((name) => document.components.schemas[name] === undefined)).toEqual([]);
  expect(text).not.toContain("#/$defs");
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map((each) => each.operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
});
