import type { AgentDefinition } from "../registry/definition.ts";

/** What an executor with containers needs beside the command. */
export interface ContainerPlan {
  image: string;
  entrypoint: readonly string[];
  memoryMb: number;
  cpuCores: number;
}

export interface PlannedMount {
  source: string;
  target: string;
  readOnly: boolean;
}

export function planContainer({ entrypoint, resource_limits }: AgentDefinition, image: string): ContainerPlan {
  return { image, entrypoint, memoryMb: resource_limits.memory_mb, cpuCores: resource_limits.cpu_cores };
}

/** What an isolated agent gets beside its workspace. Each side has its own paths, and its own home. */
export function planMounts(
  { mounts, session_config }: AgentDefinition,
  fill: { outside: (text: string) => string; inside: (text: string) => string },
): PlannedMount[] {
  const { session_dir_template: source, session_dir_target: target } = session_config;
  const sessions = source === "" || target === "" ? [] : [{ source, target, read_only: false }];
  return [...mounts, ...sessions].map((mount) => ({
    source: fill.outside(mount.source),
    target: fill.inside(mount.target),
    readOnly: mount.read_only,
  }));
}

/** The image it comes in, if it does. */
export const imageOf = ({ image, tag }: AgentDefinition): string | undefined =>
  image === "" ? undefined : `${image}:${tag}`;
