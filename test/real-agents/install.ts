import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = import.meta.dirname;
const modules = join(folder, "node_modules");
const stamp = join(modules, ".installed-from");

/** The programs, by the names under which people have them. */
export const programs = join(modules, ".programs");

/** Installs the agents when they are missing or the lock has changed. Without install scripts: nothing is compiled or fetched. */
export default function install(): void {
  const lock = createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  execFileSync("npm", ["ci", "--prefix", folder], { stdio: ["ignore", "inherit", "inherit"] });
  mkdirSync(programs);
  for (const [name, file] of Object.entries(binaries)) symlinkSync(join(modules, file), join(programs, name));
  writeFileSync(stamp, lock);
}

/** Claude's own link is made by an install script, and OpenCode's wrapper doesn't install: both are one native file. */
const binaries = {
  claude: `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
  opencode: "opencode-linux-x64/bin/opencode",
  codex: ".bin/codex",
  gemini: ".bin/gemini",
  "claude-agent-acp": ".bin/claude-agent-acp",
  "codex-acp": ".bin/codex-acp",
};
