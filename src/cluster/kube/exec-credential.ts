import { AppError } from "../../contract/errors.ts";

/** A program that prints a credential, as managed clusters have it. */
export interface ExecConfig {
  apiVersion?: string;
  command: string;
  args?: string[] | null;
  env?: { name: string; value: string }[] | null;
}

/** Runs it and gives what it printed; starting programs is not this folder's business. */
export type RunPlugin = (command: string, args: readonly string[], env: Record<string, string>) => Promise<string>;

/** Kept until shortly before it runs out; a plugin may take seconds. */
const EARLY_MS = 60_000;

export function execToken(
  { apiVersion = "client.authentication.k8s.io/v1", command, args, env }: ExecConfig,
  run: RunPlugin,
  outer: Readonly<Record<string, string | undefined>>,
): () => Promise<string | undefined> {
  let known: Promise<{ token: string; until: number }> | undefined;
  const ask = async () => {
    const request = { apiVersion, kind: "ExecCredential", spec: { interactive: false } };
    const variables = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
    const inherited = Object.fromEntries(
      Object.entries(outer).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const printed = await run(command, args ?? [], {
      ...inherited,
      ...variables,
      KUBERNETES_EXEC_INFO: JSON.stringify(request),
    });
    return credentialOf(command, printed);
  };
  return async () => {
    const held = await known?.catch(() => undefined);
    if (held === undefined || held.until <= Date.now()) known = ask();
    return (await known)?.token;
  };
}

function credentialOf(command: string, printed: string): { token: string; until: number } {
  try {
    const { status } = JSON.parse(printed) as { status?: { token?: unknown; expirationTimestamp?: unknown } };
    if (typeof status?.token === "string") {
      const expires =
        typeof status.expirationTimestamp === "string" ? Date.parse(status.expirationTimestamp) : Number.NaN;
      return { token: status.token, until: Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires - EARLY_MS };
    }
  } catch {
    // Said below: what it printed may hold a secret.
  }
  throw new AppError("cluster.config", `kubeconfig: the credential plugin ${command} printed no token`);
}
