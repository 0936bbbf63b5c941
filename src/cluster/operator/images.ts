import { bundledAgentTypes } from "../../contract/resources/agent-types.ts";

export const DEFAULT_REGISTRY = "ghcr.io/coxswain-dev";

/** The images that come with a release, under one registry or mirror of it. */
export function bundledImages(registry: string, version: string): { agents: Record<string, string>; operator: string } {
  const image = (name: string) => `${registry.replace(/\/+$/, "")}/${name}:${version}`;
  return {
    agents: Object.fromEntries(bundledAgentTypes.map((type) => [type, image(type)])),
    // Has git, a shell and cox: it clones workspaces too.
    operator: image("base"),
  };
}
