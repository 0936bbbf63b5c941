import type { Secret } from "../../operator/kube/objects.ts";

export function secretOf(name: string, namespace: string, values: Readonly<Record<string, string>>): Secret {
  const data = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace },
    type: "Opaque",
    data: Object.fromEntries(data),
  };
}
