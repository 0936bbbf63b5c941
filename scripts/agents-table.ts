import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { versions } from "../test/real-agents/pins.ts";
import { type Results, readResults } from "../test/real-agents/results.ts";

const file = join(import.meta.dirname, "../docs/user/agent-conformance.md");

export const writeTable = (): void => writeFileSync(file, renderTable(readResults()));
export const readTable = (): string => readFileSync(file, "utf8");

/** The page in the documentation: what was tried with each agent, and what it can't do, in its own words. */
export function renderTable(results: Results): string {
  const agents = Object.keys(results);
  const behaviours = Object.keys(Object.values(results)[0] ?? {});
  const facts: string[] = [];
  const cell = (agent: string, behaviour: string) => {
    const result = results[agent]?.[behaviour];
    if (result === "pass") return "✓";
    const text = result === undefined ? "not tried" : result.gap;
    if (!facts.includes(text)) facts.push(text);
    return `[${facts.indexOf(text) + 1}]`;
  };
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rows = behaviours.map((behaviour) => row([behaviour, ...agents.map((agent) => cell(agent, behaviour))]));
  return [
    intro,
    row(["", ...agents]),
    row(["---", ...agents.map(() => ":---:")]),
    row(["version", ...agents.map((agent) => versions[agent] ?? "")]),
    ...rows,
    "",
    ...facts.map((fact, i) => `${i + 1}. ${fact}`),
    "",
    settings,
  ].join("\n");
}

const intro = `# What each agent was seen to do

Every line of this table is a test that starts the real program, with a scripted model behind it, and looks at the events that
come out. ✓ passed. A number is a fact about the agent that prevents it; it is tested as well, so that the number goes when the
fact does. The page is written by that test run.
`;

const settings = `## Settings

Each agent ran with a fresh home of its own and a profile with \`base_url\`, \`token\` and \`model\`. Beyond that:

- codex, codex-acp: \`features.default_mode_request_user_input = true\`, without which codex asks questions only in its plan
  mode; no plugins.
- gemini: the workspace is a trusted folder, \`general.maxAttempts\` is 1 (else it tries a failing server again for minutes).
- gemini goes on with an earlier conversation by being told it again; the others load it.
- demo has no model and no server: it gets into the trouble that it is told to.
- opencode: the models and their limits are described in its \`opencode.json\`.
- The time that an agent may be silent in the middle of a turn (\`protocol_config.silence_deadline_ms\`, ten minutes) was set to
  some seconds for the lines about a server that fails or doesn't answer.
`;

if (process.argv[1] === import.meta.filename) writeTable();
