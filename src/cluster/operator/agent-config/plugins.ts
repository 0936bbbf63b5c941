import type { Plugin } from "./merge.ts";

/** A file of a plugin: its key in the ConfigMap, its path below the plugin folder, and what it holds. */
export interface PluginFile {
  key: string;
  path: string;
  content: string;
}

/** `<plugin>/skills/<skill>/SKILL.md` and `<plugin>/agents/<agent>.md`, as agents look for them. */
export function pluginFiles(plugins: readonly Plugin[]): PluginFile[] {
  return plugins.flatMap((plugin, at) => [
    ...(plugin.skills ?? []).map(({ name, content }, index) => ({
      key: `p${at}-s${index}`,
      path: `${plugin.name}/skills/${name}/SKILL.md`,
      content,
    })),
    ...(plugin.agents ?? []).map(({ name, content }, index) => ({
      key: `p${at}-a${index}`,
      path: `${plugin.name}/agents/${name}.md`,
      content,
    })),
  ]);
}
