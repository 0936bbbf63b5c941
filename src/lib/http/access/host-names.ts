import { networkInterfaces } from "node:os";

/**
 * The Host headers under which a host is really asked: a page that had its name point here would send its own. In a pod that is
 * the pod's address and name; on a wildcard address it is each address of this machine.
 */
export function hostNames(
  listening: { host: string; port: number },
  env: NodeJS.ProcessEnv,
  more: readonly string[],
): string[] {
  const { host, port } = listening;
  const own = isWildcard(host)
    ? Object.values(networkInterfaces())
        .flatMap((list) => list ?? [])
        .map(({ address }) => address)
    : [];
  const names = ["localhost", "127.0.0.1", "::1", host, env.POD_IP, env.HOSTNAME, ...own, ...more];
  const known = new Set(
    names.filter((name) => name !== undefined && name !== "").map((name) => inUrl(String(name).toLowerCase())),
  );
  return [...known].flatMap((name) => (hasPort(name) ? [name] : [name, `${name}:${port}`]));
}

const isWildcard = (host: string) => host === "0.0.0.0" || host === "::";
const inUrl = (name: string) =>
  name.includes(":") && !name.startsWith("[") && !/^[\w.-]+:\d+$/.test(name) ? `[${name}]` : name;
const hasPort = (name: string) => /^[\w.-]+:\d+$|\]:\d+$/.test(name);
