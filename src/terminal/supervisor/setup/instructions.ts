import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { writeFileAtomic } from "../../../lib/files/atomic-file.ts";
import { findExecutable } from "../../../lib/process/path/executable.ts";
import type { Settings } from "../settings.ts";
import type { Step } from "../step.ts";

/** CLAUDE.md, when the repository has none; the section on tools when it lacks one. A person's own text stays. */
export const instructions: Step = {
  name: "CLAUDE.md",
  run({ settings, env }) {
    const file = join(settings.workspace, "CLAUDE.md");
    const before = existsSync(file) ? readFileSync(file, "utf8") : undefined;
    const after = withTools(before ?? introduction(settings), toolsOn(env.PATH, settings.workspace));
    if (after === before) return { note: "as it is" };
    writeFileAtomic(file, after, { mode: 0o644 });
    return { note: before === undefined ? "written" : "tools added" };
  },
};

const HEADING = "## Development Tools";

export function withTools(text: string, tools: readonly string[]): string {
  if (text.includes(HEADING)) return text;
  return `${text.trimEnd()}\n\n${HEADING}\n\n${toolsText(tools)}`;
}

/** What was looked for and is there. */
const toolsOn = (path: string | undefined, cwd: string): string[] => TOOLS.filter((name) => isThere(name, path, cwd));

function isThere(name: string, path: string | undefined, cwd: string): boolean {
  try {
    findExecutable(name, { path, cwd });
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

const TOOLS = ["git", "gh", "go", "node", "python3", "cargo", "make", "rg", "jq"] as const;

export const introduction = ({ role, project, agent }: Pick<Settings, "role" | "project" | "agent">): string =>
  `# ${agent === "unknown" ? "This agent" : agent}

You are a coding agent that works on its own in this folder.

- Role: ${role}
${project === "" ? "" : `- Project: ${project}\n`}${agent === "unknown" ? "" : `- Name: ${agent}\n`}
## Working

- Messages for you are shown when a conversation begins and when you are given a prompt; \`cox hook check-mail\` shows what is new.
- Commit often and push: what is not pushed is lost with this machine.
- Before you stop: everything committed, your branch pushed, and a message that says what is done and what is left.
- Your process may be restarted at any time and goes on with the same conversation. Look at \`git status\` first then.
`;

/** Nothing that nobody looked at: whether a host lets it in, the agent finds out by asking. */
const toolsText = (tools: readonly string[]): string =>
  `${tools.length === 0 ? "" : `- On PATH: ${tools.map((name) => `\`${name}\``).join(", ")}.\n`}- \`cox bus post "text"\` leaves a message for people and other agents; \`cox bus read\` shows what was said.
- Install what is missing inside the workspace.
`;
