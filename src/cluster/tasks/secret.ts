import { LABELS } from "../../contract/resources/names.ts";
import type { Secret } from "../kube/objects.ts";

/** Made for Tasks, by somebody who has what is in it: so it is marked as theirs to use. */
export function secretOf(name: string, namespace: string, values: Readonly<Record<string, string>>): Secret {
  const data = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace, labels: { [LABELS.usable]: "true" } },
    type: "Opaque",
    data: Object.fromEntries(data),
  };
}
