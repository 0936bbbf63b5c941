import type { Context } from "../../lib/command/command.ts";
import type { KubeObject } from "../kube/resource.ts";

/** Without what the API server adds for itself. */
export function plainObject<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata as T["metadata"] & { managedFields?: unknown };
  return { ...object, metadata };
}

/** One document after the other, as `kubectl apply -f -` takes them. */
export async function printYaml(objects: readonly KubeObject[], { stdout }: Pick<Context, "stdout">): Promise<void> {
  const { stringify } = await import("yaml");
  stdout.write(objects.map((object) => stringify(plainObject(object), { lineWidth: 0 })).join("---\n"));
}

export function printJson(objects: readonly KubeObject[], { stdout }: Pick<Context, "stdout">): void {
  for (const object of objects) stdout.write(`${JSON.stringify(plainObject(object))}\n`);
}
