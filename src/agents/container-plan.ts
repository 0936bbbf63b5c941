import type { AgentDefinition } from "./definition.ts";

/** What an executor with containers needs; on this machine itself only the timeout of the limits holds. */
export interface ContainerPlan {
  image: string;
  entrypoint: readonly string[];
  mounts: readonly { source: string; target: string; readOnly: boolean }[];
  memoryMb: number;
  cpuCores: number;
}

export function planContainer(definition: AgentDefinition, fill: (text: string) => string): ContainerPlan | undefined {
  const { image, tag, entrypoint, mounts, resource_limits, session_config } = definition;
  if (image === "") return undefined;
  const { session_dir_template: source, session_dir_target: target } = session_config;
  const sessions = source === "" || target === "" ? [] : [{ source, target, read_only: false }];
  return {
    image: `${image}:${tag}`,
    entrypoint,
    mounts: [...mounts, ...sessions].map((mount) => ({
      source: fill(mount.source),
      target: fill(mount.target),
      readOnly: mount.read_only,
    })),
    memoryMb: resource_limits.memory_mb,
    cpuCores: resource_limits.cpu_cores,
  };
}
