import { AppError, exitCodeOf, messageOf } from "../contract/errors.ts";
import { pipeToRun } from "../lib/client/tool-pipe.ts";

/** `cox mcp --socket PATH`, without the rest of cox: it is started for a run's agent, and the run waits for it. */
pipeToRun(process.argv[4] ?? "", process.stdin, process.stdout).catch((error: unknown) => {
  process.stderr.write(`cox: ${messageOf(error)}\n`);
  process.exitCode = error instanceof AppError ? exitCodeOf(error.code) : 1;
});
