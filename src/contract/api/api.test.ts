import { describe, expect, expectTypeOf, test } from "vitest";
import { type ApiKey, api, type Call, type Result } from "./index.ts";
import type { RouteSpec } from "./route.ts";

const all = Object.entries(api) as [ApiKey, RouteSpec][];

describe("the table of the HTTP API", () => {
  test.each(all)("%s names in its path what its parameters are", (key, { params }) => {
    const named = [...key.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    expect(Object.keys(params?.shape ?? {}).sort()).toEqual(named.sort());
  });

  test.each(all)("%s lets nobody without a token change anything", (key, { access }) => {
    const open = ["POST /login"];
    if (access === "open") expect(open).toContain(key);
    else if (!key.startsWith("GET "))
      expect([
        "all",
        "import",
        "run",
        ...(key === "POST /logout" || key === "POST /profiles/preview" ? ["read"] : []),
      ]).toContain(access);
  });

  test("a caller gives what is asked for, and knows what comes", () => {
    expectTypeOf<Call<"GET /runs/{run}">>().toEqualTypeOf<{ params: { run: string } }>();
    expectTypeOf<Result<"GET /runs">["items"][number]["run_id"]>().toEqualTypeOf<string>();
    expectTypeOf<Result<"DELETE /runs/{run}">>().toEqualTypeOf<undefined>();
  });
});
