import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomUUID } from "../../../lib/base/crypto.ts";
import type { OpenOptions } from "../protocol.ts";
import { carriesSecrets, mcpConfigOf } from "./arguments.ts";

export interface McpConfig {
  /** What `--mcp-config` gets, if anything. */
  argument: string | undefined;
  remove: () => Promise<void>;
}

/** Servers with tokens go through a file that only we can read, because the arguments of a process are public. */
export async function mcpConfig({ mcpServers, tools, privateDir, privateDirInside }: OpenOptions): Promise<McpConfig> {
  const json = mcpConfigOf(mcpServers, tools?.name);
  if (json === undefined || !carriesSecrets(mcpServers)) return { argument: json, remove: async () => {} };
  const directory = privateDir ?? (await mkdtemp(join(tmpdir(), "cox-mcp-")));
  const name = `mcp-${randomUUID()}.json`;
  const file = join(directory, name);
  await writeFile(file, json, { mode: 0o600, flag: "wx" });
  return {
    argument: join(privateDirInside ?? directory, name),
    remove: () => rm(privateDir === undefined ? directory : file, { recursive: true, force: true }),
  };
}
