import { describe, expect, test } from "vitest";
import { allCrds, crdOf, kinds } from "./crd.ts";

type Schema = {
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: unknown;
} & Record<string, unknown>;
const schemaOf = (kind: keyof typeof kinds) =>
  crdOf(kind).spec.versions[0]?.schema.openAPIV3Schema as unknown as Schema;

/** Every schema below, with its path. */
function* walk(schema: Schema, path = ""): Generator<[string, Schema]> {
  yield [path, schema];
  for (const [name, property] of Object.entries(schema.properties ?? {})) yield* walk(property, `${path}.${name}`);
  if (schema.items) yield* walk(schema.items, `${path}[]`);
  if (typeof schema.additionalProperties === "object" && schema.additionalProperties !== null)
    yield* walk(schema.additionalProperties as Schema, `${path}{}`);
}

describe("the definitions for the API server", () => {
  test("are structural: every place has a type, none has a union or a reference", () => {
    for (const { metadata, spec } of allCrds()) {
      for (const [path, schema] of walk(spec.versions[0]?.schema.openAPIV3Schema as unknown as Schema)) {
        const where = `${metadata.name} ${path}`;
        if (schema["x-kubernetes-int-or-string"] !== true) expect(schema.type, where).toBeDefined();
        for (const word of ["anyOf", "oneOf", "allOf", "not", "$ref", "propertyNames", "$schema", "const"])
          expect(schema, where).not.toHaveProperty(word);
        expect(schema.additionalProperties, where).not.toBe(false);
      }
    }
  });

  test("explain every field of spec and status", () => {
    const silent: string[] = [];
    for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) {
      for (const [path, schema] of walk(schemaOf(kind))) {
        const isOurs =
          /^\.(spec|status)\.\w/.test(path) &&
          !/\{\}|tolerations|volumes\[\]\.|imagePullSecrets|\[\]$|items|emptyDir|Ref\./.test(path);
        if (isOurs && !schema.description) silent.push(`${kind}${path}`);
      }
    }
    expect(silent).toEqual([]);
  });

  test("freeze a Task's spec but for cancel", () => {
    const spec = schemaOf("Task").properties?.spec;
    const fixed = Object.entries(spec?.properties ?? {}).filter(([, schema]) =>
      JSON.stringify(schema["x-kubernetes-validations"] ?? []).includes('"self == oldSelf"'),
    );
    expect(Object.keys(spec?.properties ?? {}).filter((name) => !fixed.some(([other]) => other === name))).toEqual([
      "cancel",
    ]);
  });

  test("show what people look for, from where it is", () => {
    const columns = crdOf("Task").spec.versions[0]?.additionalPrinterColumns ?? [];
    for (const { jsonPath, name } of columns) {
      if (jsonPath.startsWith(".metadata")) continue;
      const found = [...walk(schemaOf("Task"))].some(([path]) => path === jsonPath);
      expect(found, name).toBe(true);
    }
    expect(columns.map(({ name }) => name).slice(0, 3)).toEqual(["Type", "Phase", "Reason"]);
  });
});
