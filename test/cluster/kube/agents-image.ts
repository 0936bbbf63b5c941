import { readFileSync } from "node:fs";
import { join } from "node:path";
import installAgents, { programs } from "../../real-agents/install.ts";
import { root } from "../../support/cox.ts";
import type { ImageFiles } from "./image.ts";

export const AGENTS_IMAGE = "cox.test/agents:1";

const modules = join(programs, "..");
const claude = join(modules, `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`);
const codex = join(modules, "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex");
const gemini = join(modules, "@google/gemini-cli");
const opencode = join(modules, "opencode-linux-x64/bin/opencode");
const cox = ["bin", "dist", "package.json"].map((name) => join(root, name));

const call = (...words: string[]) => `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`;

/** All four real agents, with the base's own entrypoint and capture, at the places where they lie on this machine. */
export function agentsImage(): ImageFiles {
  installAgents();
  return {
    name: AGENTS_IMAGE,
    user: "61100",
    copy: [
      ...["/usr/bin/node", "/usr/bin/tini", "/usr/bin/git", "/usr/lib/git-core/git-remote-http", "/usr/lib/git-core"],
      ...["/bin/bash", claude, codex, gemini, opencode, ...cox],
    ],
    files: {
      "kelos_entrypoint.sh": readFileSync(join(root, "images/base/kelos_entrypoint.sh"), "utf8"),
      "kelos/kelos-capture": readFileSync(join(root, "images/base/kelos-capture"), "utf8"),
      "usr/bin/cox": call("node", join(root, "bin/cox")),
      "usr/bin/claude": call(claude),
      "usr/bin/codex": call(codex),
      "usr/bin/gemini": call("node", join(gemini, "bundle/gemini.js")),
      "usr/bin/opencode": call(opencode),
    },
  };
}
