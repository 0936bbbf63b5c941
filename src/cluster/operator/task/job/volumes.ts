import { MCP_SECRETS_DIR, PLUGIN_DIR, TASK_FILES_DIR, TOKEN_DIR } from "../../../../contract/resources/names.ts";
import type { Volume, VolumeMount } from "../../../kube/objects.ts";
import { SSH_DIR, SSH_KEY, TOKEN_KEY } from "../../workspace/checkout.ts";
import { type JobInput, workspaceMount } from "./job-input.ts";
import { filesNameOf } from "./names.ts";
import { wishedVolumes } from "./wishes.ts";

export const SERVER_TOKEN_FILE = "/kelos/server/token";
export const PLUGIN_SOURCE_DIR = "/kelos/plugin-source";

const VOLUME = {
  workspace: "workspace",
  token: "kelos-github-token",
  ssh: "kelos-ssh",
  plugin: "kelos-plugin",
  pluginSource: "kelos-plugin-src",
  task: "kelos-task",
  files: "kelos-files",
  mcp: "kelos-mcp",
  server: "kelos-server",
} as const;
export const volumeNames = VOLUME;

/** Secrets come as files where that is possible: a file follows a rotated Secret, a variable doesn't. */
export function volumesOf({ task, attempt, references, mcp, files, options }: JobInput): Volume[] {
  const { workspace, workspaceSecret } = references;
  const configMap = filesNameOf(task.metadata.name, attempt);
  const volumes: Volume[] = [];
  if (workspace !== undefined) volumes.push({ name: VOLUME.workspace, emptyDir: {} });
  const secretName = workspace?.secretRef?.name;
  if (workspaceSecret === "token") {
    volumes.push({
      name: VOLUME.token,
      secret: { secretName, items: [{ key: TOKEN_KEY, path: TOKEN_KEY }], defaultMode: 0o440 },
    });
  }
  if (workspaceSecret === "ssh") {
    const keys = references.secrets.get(secretName ?? "") ?? [];
    const items = [SSH_KEY, "known_hosts"].filter((key) => keys.includes(key)).map((key) => ({ key, path: key }));
    volumes.push({ name: VOLUME.ssh, secret: { secretName, items, defaultMode: 0o440 } });
  }
  if (files.plugins.length > 0) {
    volumes.push(
      { name: VOLUME.plugin, emptyDir: {} },
      { name: VOLUME.pluginSource, configMap: { name: configMap, items: files.plugins } },
    );
  }
  const named = [files.prompt, files.agentsMD, files.mcp].flatMap(
    (path) => path?.slice(TASK_FILES_DIR.length + 1) ?? [],
  );
  if (named.length > 0) volumes.push({ name: VOLUME.task, configMap: { name: configMap, items: itself(named) } });
  if (files.workspaceFiles.length > 0) {
    volumes.push({ name: VOLUME.files, configMap: { name: configMap, items: itself(files.workspaceFiles) } });
  }
  if (mcp !== undefined && mcp.secrets.length > 0) {
    const sources = mcp.secrets.map(({ secret, key, path, optional }) => ({
      secret: { name: secret, items: [{ key, path }], optional },
    }));
    volumes.push({ name: VOLUME.mcp, projected: { sources, defaultMode: 0o440 } });
  }
  if (options.server !== undefined) {
    volumes.push({
      name: VOLUME.server,
      secret: {
        secretName: options.server.tokenSecret,
        // Whatever else is in that Secret is not for agents.
        items: [{ key: "token", path: "token" }],
        optional: true,
        defaultMode: 0o440,
      },
    });
  }
  return [...volumes, ...wishedVolumes(task.spec.podOverrides ?? {}, references.secrets)];
}

const itself = (names: readonly string[]) => names.map((name) => ({ key: name, path: name }));

export function agentMounts(input: JobInput): VolumeMount[] {
  const { task, references, mcp, files, options } = input;
  const mounts: VolumeMount[] = [];
  if (references.workspace !== undefined) mounts.push(workspaceMount);
  mounts.push(...credentialMounts(input));
  if (files.plugins.length > 0) mounts.push({ name: VOLUME.plugin, mountPath: PLUGIN_DIR });
  if (files.prompt ?? files.agentsMD ?? files.mcp)
    mounts.push({ name: VOLUME.task, mountPath: TASK_FILES_DIR, readOnly: true });
  if (mcp !== undefined && mcp.secrets.length > 0)
    mounts.push({ name: VOLUME.mcp, mountPath: MCP_SECRETS_DIR, readOnly: true });
  if (options.server !== undefined) mounts.push({ name: VOLUME.server, mountPath: "/kelos/server", readOnly: true });
  return [...mounts, ...(task.spec.podOverrides?.volumeMounts ?? [])];
}

export function credentialMounts({ references }: JobInput): VolumeMount[] {
  if (references.workspaceSecret === "token") return [{ name: VOLUME.token, mountPath: TOKEN_DIR, readOnly: true }];
  if (references.workspaceSecret === "ssh") return [{ name: VOLUME.ssh, mountPath: SSH_DIR, readOnly: true }];
  return [];
}
