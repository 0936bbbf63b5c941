import type { RealAgent } from "../real-agent.ts";
import { codex } from "./codex.ts";

export const codexAcp: RealAgent = {
  ...codex,
  name: "codex-acp",
  say: {
    ...codex.say,
    // It asks for what leaves its sandbox, and its model says what does.
    shell: (file) => `@call ${outside(`touch ${file}`)}`,
    two: `@call ${outside("touch one.txt")} && ${outside("touch two.txt")}`,
  },
  gaps: {
    "the model is told why it was denied": { fact: "ACP has no field for a reason", fails: "not on my watch" },
  },
};

function outside(cmd: string): string {
  return `exec_command ${JSON.stringify({ cmd, sandbox_permissions: "require_escalated", justification: "it writes" })}`;
}
