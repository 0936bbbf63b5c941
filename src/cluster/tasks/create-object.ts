import type { Context, OptionSpec } from "../../lib/command/command.ts";
import type { KubeObject, Resource } from "../kube/resource.ts";
import { type ClusterValues, clusterOptions, found, withCluster } from "./cluster.ts";
import { printJson, printYaml } from "./print.ts";

export const createOptions = {
  replace: { help: "change one that exists; else that is an error" },
  "dry-run": { help: "print it as YAML and create nothing" },
  json: { help: "print what was created as JSON" },
  ...clusterOptions,
} as const satisfies Record<string, OptionSpec>;

export interface CreateValues extends ClusterValues {
  replace?: boolean;
  "dry-run"?: boolean;
  json?: boolean;
}

export interface Creation<T extends KubeObject = KubeObject> {
  resource: Resource<T>;
  object: T;
}

/** The last of them is what was asked for; those before it are what it needs. */
export async function createObjects(
  make: (namespace: string) => readonly Creation[],
  values: CreateValues,
  context: Context,
): Promise<number> {
  return withCluster(values, context, async (cluster) => {
    const { client, namespace } = cluster;
    const creations = make(namespace);
    if (values["dry-run"]) {
      await printYaml(
        creations.map(({ object }) => object),
        context,
      );
      return 0;
    }
    for (const { resource, object } of creations) {
      const what = `${object.kind} ${object.metadata.name}`;
      const made = await found(what, cluster, () =>
        values.replace ? client.apply(resource, object, { fieldManager: "cox-cli" }) : client.create(resource, object),
      );
      if (object.kind === "Secret" || !values.json)
        context.stdout.write(`${what} ${values.replace ? "applied" : "created"}\n`);
      else printJson([made], context);
    }
    return 0;
  });
}
