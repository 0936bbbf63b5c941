import { isAbsolute } from "node:path";
import { AppError } from "../../contract/errors.ts";

/** What an agent is executed with, as the specification of agent backends has it. */
export interface RunContext {
  runId: string;
  projectId: string;
  taskId: string;
  /** May be empty: then the agent does what it does by default. */
  prompt: string;
  workingDir: string;
  stdoutPath: string;
  stderrPath: string;
  environment: Readonly<Record<string, string>>;
}

const required = [
  ["runId", "run id"],
  ["workingDir", "working directory"],
  ["stdoutPath", "stdout path"],
  ["stderrPath", "stderr path"],
] as const;

/** Before anything is started: what is missing or relative is said in the specification's words, then what to do. */
export function checkRunContext(context: RunContext | undefined): RunContext {
  if (context === undefined || context === null) {
    throw invalid("run context is nil; give runId, workingDir, stdoutPath and stderrPath");
  }
  for (const [key, name] of required) if (!context[key]) throw invalid(`${name} is empty; set ${key}`);
  for (const [key, name] of required.slice(1)) {
    if (!isAbsolute(context[key])) throw invalid(`${name} is not an absolute path: ${context[key]}`);
  }
  return context;
}

const invalid = (message: string) => new AppError("usage.invalid", message);
