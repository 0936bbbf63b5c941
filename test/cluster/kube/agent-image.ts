import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../support/cox.ts";
import type { ImageFiles } from "./image.ts";

export const REAL_AGENTS = "cox.test/real-agents:1";

const installed = join(root, "test/real-agents/node_modules");
const packages = [
  "@anthropic-ai/claude-code-linux-x64",
  "@openai/codex",
  "@openai/codex-linux-x64",
  "@google/gemini-cli",
  "opencode-linux-x64",
];

export const agentsAreInstalled = (): boolean => packages.every((name) => existsSync(join(installed, name)));

/**
 * All four real agents in one image, with cox and the two files of the image interface, from what this machine has: the
 * images themselves need a registry, which a test hasn't got.
 */
export function realAgentsImage(): ImageFiles {
  const pty = readdirSync(join(root, "node_modules/@lydell")).map((name) => `node_modules/@lydell/${name}`);
  return {
    name: REAL_AGENTS,
    user: "61100",
    copy: [
      process.execPath,
      "/usr/bin/git",
      "/usr/lib/git-core/git-remote-http",
      "/usr/lib/git-core",
      "/bin/bash",
      "/usr/bin/tini",
    ],
    librariesOf: ["@anthropic-ai/claude-code-linux-x64/claude", "opencode-linux-x64/bin/opencode"].map((program) =>
      join(installed, program),
    ),
    folders: {
      ...Object.fromEntries(packages.map((name) => [join(installed, name), `opt/agents/node_modules/${name}`])),
      ...Object.fromEntries(
        ["bin", "dist", "package.json", ...pty].map((name) => [join(root, name), `opt/coxswain/${name}`]),
      ),
    },
    links: {
      cox: "/opt/coxswain/bin/cox",
      claude: "/opt/agents/node_modules/@anthropic-ai/claude-code-linux-x64/claude",
      codex: "/opt/agents/node_modules/@openai/codex/bin/codex.js",
      gemini: "/opt/agents/node_modules/@google/gemini-cli/bundle/gemini.js",
      opencode: "/opt/agents/node_modules/opencode-linux-x64/bin/opencode",
      env: "/bin/busybox",
    },
    files: {
      "kelos_entrypoint.sh": '#!/bin/sh\nexec tini -g -- cox container-run "$@"\n',
      "kelos/kelos-capture": '#!/bin/sh\nexec cox capture "$@"\n',
    },
  };
}
