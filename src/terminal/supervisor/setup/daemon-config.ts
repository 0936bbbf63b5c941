import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "../../../lib/files/atomic-file.ts";
import type { Step } from "../step.ts";

/** Tells the tools of the workspace where their daemon is. */
export const daemonConfig: Step = {
  name: "daemon config",
  run({ settings: { workspace, daemon } }) {
    if (daemon === undefined) return { note: "no daemon" };
    const folder = join(workspace, ".beads");
    const file = join(folder, "config.yaml");
    mkdirSync(folder, { recursive: true });
    const before = existsSync(file) ? readFileSync(file, "utf8") : "";
    writeFileAtomic(file, withKeys(before, { "daemon-host": daemon.url, "daemon-token": daemon.token ?? "" }));
    return { note: daemon.url };
  },
};

/** The keys set, other lines left as they are. JSON's strings are YAML's. */
export function withKeys(text: string, keys: Readonly<Record<string, string>>): string {
  const others = text
    .split("\n")
    .filter((one) => one !== "" && !Object.keys(keys).some((key) => one.startsWith(`${key}:`)));
  const ours = Object.entries(keys).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `${[...others, ...ours].join("\n")}\n`;
}
