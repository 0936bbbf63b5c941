import type { PodOverrides } from "../../../../contract/resources/pod-overrides.ts";
import type { EnvEntry, Volume } from "../../../kube/objects.ts";
import type { References } from "../references.ts";

type Secrets = References["secrets"];

/**
 * A Task's own variables and volumes, put together anew of what is known here: a kind of source that nobody looked at is in no
 * pod, whatever the API server let through. An optional Secret that wasn't there is left out for good; a reference to it would
 * show whatever gets its name later.
 */
export function wishedVariables({ env = [] }: PodOverrides, secrets: Secrets): EnvEntry[] {
  return env.flatMap(({ name, value, valueFrom }): EnvEntry[] => {
    const { secretKeyRef, configMapKeyRef } = valueFrom ?? {};
    if (secretKeyRef !== undefined) {
      return secrets.has(secretKeyRef.name) ? [{ name, valueFrom: { secretKeyRef } }] : [];
    }
    return [configMapKeyRef === undefined ? { name, value: value ?? "" } : { name, valueFrom: { configMapKeyRef } }];
  });
}

export function wishedVolumes({ volumes = [] }: PodOverrides, secrets: Secrets): Volume[] {
  return volumes.map(({ name, secret, configMap, persistentVolumeClaim, emptyDir }): Volume => {
    if (secret !== undefined) return { name, ...(secrets.has(secret.secretName) ? { secret } : { emptyDir: {} }) };
    if (configMap !== undefined) return { name, configMap };
    if (persistentVolumeClaim !== undefined) return { name, persistentVolumeClaim };
    return { name, emptyDir: emptyDir ?? {} };
  });
}
