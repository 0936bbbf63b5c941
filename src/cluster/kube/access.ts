import { existsSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { AppError, wrap } from "../../contract/errors.ts";
import { type ExecConfig, execToken, type RunPlugin } from "./exec-credential.ts";

/** How a cluster is reached, and as whom. */
export interface ClusterAccess {
  server: string;
  namespace: string;
  ca?: Buffer | string;
  cert?: Buffer | string;
  key?: Buffer | string;
  insecure?: boolean;
  serverName?: string;
  /** Asked before each request: tokens in files are rotated, tokens of plugins run out. */
  token(): Promise<string | undefined>;
}

export interface AccessOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** A file, in place of KUBECONFIG and ~/.kube/config. */
  kubeconfig?: string;
  context?: string;
  /** Starts a credential plugin; without it a kubeconfig that needs one is refused. */
  runPlugin?: RunPlugin;
}

/** A kubeconfig if there is one, else the account of the pod we are in. */
export async function findAccess(options: AccessOptions): Promise<ClusterAccess> {
  const paths = options.kubeconfig ?? options.env.KUBECONFIG;
  const home = join(options.env.HOME ?? homedir(), ".kube/config");
  if (paths !== undefined && paths !== "") {
    const files = paths.split(delimiter).filter((path) => path !== "");
    return fromKubeconfig(files, options);
  }
  if (existsSync(join(ACCOUNT, "token")) && options.env.KUBERNETES_SERVICE_HOST) return fromPod(options.env);
  if (existsSync(home)) return fromKubeconfig([home], options);
  throw new AppError(
    "cluster.config",
    "cluster: there is no kubeconfig; set KUBECONFIG, or use --kubeconfig FILE, or run inside a pod",
  );
}

const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

function fromPod(env: AccessOptions["env"]): ClusterAccess {
  const host = env.KUBERNETES_SERVICE_HOST ?? "";
  const port = env.KUBERNETES_SERVICE_PORT ?? "443";
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    namespace: readFileSync(join(ACCOUNT, "namespace"), "utf8").trim(),
    ca: readFileSync(join(ACCOUNT, "ca.crt")),
    token: fileToken(join(ACCOUNT, "token")),
  };
}

interface Kubeconfig {
  "current-context"?: string;
  clusters?: { name: string; cluster: Record<string, unknown> }[];
  contexts?: { name: string; context: { cluster: string; user: string; namespace?: string } }[];
  users?: { name: string; user: Record<string, unknown> }[];
}

async function fromKubeconfig(files: readonly string[], options: AccessOptions): Promise<ClusterAccess> {
  const { parse } = await import("yaml");
  const configs = files.filter((file) => existsSync(file)).map((file) => ({ file, config: read(file, parse) }));
  const where = files.join(", ");
  if (configs.length === 0) throw new AppError("cluster.config", `kubeconfig ${where}: no such file`);
  // The first to say something counts, as kubectl has it.
  const name = options.context ?? configs.map(({ config }) => config["current-context"]).find(Boolean);
  const find = <T>(pick: (config: Kubeconfig) => T | undefined) => {
    for (const { file, config } of configs) {
      const value = pick(config);
      if (value !== undefined) return { value, folder: dirname(file) };
    }
    return undefined;
  };
  const context = find((config) => config.contexts?.find((entry) => entry.name === name)?.context);
  if (context === undefined)
    throw new AppError("cluster.config", `kubeconfig ${where}: there is no context ${name ?? "in it"}`);
  const { cluster: clusterName, user: userName, namespace = "default" } = context.value;
  const cluster = find((config) => config.clusters?.find((entry) => entry.name === clusterName)?.cluster);
  const user = find((config) => config.users?.find((entry) => entry.name === userName)?.user);
  if (cluster === undefined)
    throw new AppError("cluster.config", `kubeconfig ${where}: there is no cluster ${clusterName}`);
  const server = text(cluster.value.server);
  if (server === undefined)
    throw new AppError("cluster.config", `kubeconfig ${where}: cluster ${clusterName} has no server`);
  return {
    server: server.replace(/\/+$/, ""),
    namespace,
    ca: material(cluster.value, "certificate-authority", cluster.folder),
    insecure: cluster.value["insecure-skip-tls-verify"] === true,
    serverName: text(cluster.value["tls-server-name"]),
    cert: user && material(user.value, "client-certificate", user.folder),
    key: user && material(user.value, "client-key", user.folder),
    token: tokenOf(user, options, userName),
  };
}

function read(file: string, parse: (text: string) => unknown): Kubeconfig {
  try {
    const config: unknown = parse(readFileSync(file, "utf8"));
    return typeof config === "object" && config !== null ? config : {};
  } catch (error) {
    throw wrap(`kubeconfig ${file}`, error, "cluster.config");
  }
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** Inline as base64, or a file beside the kubeconfig. */
function material(entry: Record<string, unknown>, name: string, folder: string): Buffer | undefined {
  const inline = text(entry[`${name}-data`]);
  if (inline !== undefined) return Buffer.from(inline, "base64");
  const path = text(entry[name]);
  return path === undefined ? undefined : readFileSync(isAbsolute(path) ? path : join(folder, path));
}

function tokenOf(
  user: { value: Record<string, unknown>; folder: string } | undefined,
  { runPlugin, env }: AccessOptions,
  name: string,
): ClusterAccess["token"] {
  const { exec, token, tokenFile } = user?.value ?? {};
  if (typeof exec === "object" && exec !== null) {
    if (runPlugin === undefined) {
      throw new AppError(
        "cluster.config",
        `kubeconfig: user ${name} needs a credential plugin, which can't be run here`,
      );
    }
    return execToken(exec as ExecConfig, runPlugin, env);
  }
  const path = text(tokenFile);
  if (path !== undefined) return fileToken(isAbsolute(path) ? path : join(user?.folder ?? "", path));
  return async () => text(token);
}

/** Read again when the file has changed: the kubelet renews it while we run. */
function fileToken(path: string): ClusterAccess["token"] {
  let known: { changed: number; token: string } | undefined;
  return async () => {
    const changed = statSync(path).mtimeMs;
    if (known?.changed !== changed) known = { changed, token: readFileSync(path, "utf8").trim() };
    return known.token;
  };
}
