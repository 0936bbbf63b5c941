import { AppError } from "../../contract/errors.ts";
import { credentialVariable } from "../../contract/resources/agent-types.ts";
import { hasStatus, isNotFound } from "../kube/error.ts";
import { secrets } from "../kube/resource.ts";
import type { Cluster } from "./cluster.ts";
import { type Credentials, credentialsIn } from "./task-spec.ts";

export const defaultSecret = (type: string): string => `coxswain-${type}`;

/** The Secret that a Task's agent takes its key from: the one named, or the one that has the name of its type. */
export async function findCredentials(
  { client, namespace }: Cluster,
  type: string,
  named: string | undefined,
): Promise<Credentials> {
  if (named === "none" || (named === undefined && credentialVariable(type, "api-key") === undefined)) {
    return { type: "none" };
  }
  const name = named ?? defaultSecret(type);
  try {
    const secret = await client.get(secrets, namespace, name);
    return credentialsIn(type, name, Object.keys(secret.data ?? {}));
  } catch (error) {
    // Who may write Tasks need not be one who may read Secrets. The operator looks at it, and says what is wrong with it.
    if (hasStatus(error, 403)) return { type: "api-key", secretRef: { name } };
    if (!isNotFound(error)) throw error;
    const message = `Secret ${name}: there is none in namespace ${namespace}; make it with \`cox k8s create secret ${name} --type ${type} -n ${namespace}\`, or name another with --secret`;
    throw new AppError("config.invalid", message, {}, { cause: error });
  }
}
