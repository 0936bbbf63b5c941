import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Machine {
  platform: string;
  arch: string;
  exists: (file: string) => boolean;
  realpath: (file: string) => string;
}

const here: Machine = {
  platform: process.platform,
  arch: process.arch,
  exists: existsSync,
  realpath: (file) => realpathSync(file),
};

/**
 * The program behind an npm wrapper. npm's `codex` is a Node script that starts the real one as a child: killed, it leaves
 * that child behind, which keeps the stdout open. Any other file is returned as it is.
 */
export function nativeBinary(file: string, machine: Machine = here): string {
  const script = machine.realpath(file);
  if (!script.endsWith(join("@openai", "codex", "bin", "codex.js"))) return file;
  return codexCandidates(dirname(dirname(script)), machine).find(machine.exists) ?? file;
}

/** As its script looks for it: the platform's package beside it or in it, or in older versions the package itself. */
function codexCandidates(packageRoot: string, { platform, arch }: Machine): string[] {
  const cpu = arch === "x64" ? "x86_64" : arch === "arm64" ? "aarch64" : undefined;
  const system = platform === "linux" ? "unknown-linux-musl" : platform === "darwin" ? "apple-darwin" : undefined;
  if (cpu === undefined || system === undefined) return [];
  const platformPackage = `codex-${platform}-${arch}`;
  const triple = `${cpu}-${system}`;
  return [
    join(dirname(packageRoot), platformPackage, "vendor", triple, "bin", "codex"),
    join(packageRoot, "node_modules", "@openai", platformPackage, "vendor", triple, "bin", "codex"),
    join(packageRoot, "vendor", triple, "bin", "codex"),
    join(packageRoot, "vendor", triple, "codex", "codex"),
  ];
}
