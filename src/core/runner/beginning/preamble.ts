export interface PreambleInput {
  runId: string;
  project: string;
  task: string;
  /** What it can see of the run and the task: where its summary goes, and where it says that the task is finished. */
  outputPath: string;
  donePath: string;
  /** Where it is locked up, if it is. */
  isolation?: "container" | "sandbox";
}

/**
 * What an agent is told about where it runs. Every command in it works as written inside the run; a test runs them all.
 * The tag keeps it apart from what the person asked.
 */
export function preamble(input: PreambleInput): string {
  return `<coxswain-run>
You work in run ${input.runId} of task ${input.task} in project ${input.project}. A person or another agent reads what you leave.

- Write your final summary to ${input.outputPath} (RUN_FOLDER is its folder). Without it, your last message is taken.
- Say what others should know on the task's message bus:
  \`cox bus post --type PROGRESS "tests pass, docs next"\` (also FACT, DECISION, ERROR, QUESTION, INFO)
  \`cox bus read --limit 20\` shows what was said before.
- Hand a separate piece of work to another agent as a child of this run:
  \`cox run -d --agent demo "what it should do"\` prints its run id; \`cox wait RUN\` waits for it, \`cox output RUN\` shows its result.
- When the whole task is finished, and only then: \`touch ${input.donePath}\`
${input.isolation === undefined ? "" : surroundings(input.isolation)}</coxswain-run>
`;
}

const surroundings = (place: "container" | "sandbox") =>
  `- You are in a ${place}: your workspace, your home and RUN_FOLDER are writable. The folders of the task, of its bus and of
  other runs are not visible here; \`cox bus\` and \`cox run\` reach them for you.
`;
