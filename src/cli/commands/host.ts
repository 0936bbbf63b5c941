import { text } from "node:stream/consumers";
import { AppError, messageOf } from "../../contract/errors.ts";
import { command } from "../command.ts";
import { hostRun } from "../host-run.ts";
import { prepareRun, type RunRequest } from "../run-request.ts";

/** Started by `cox run -d`, the server and the queue: a request on stdin, one line with the run's id (or the refusal) on stdout. */
export default command({
  name: "host",
  summary: "own a detached run (started by cox itself)",
  usage: "cox host < request.json",
  options: {},
  async run(_, { stdin, stdout, env, clock }) {
    try {
      const request: RunRequest = JSON.parse(await text(stdin));
      const { run, done } = await hostRun(await prepareRun(request, env, clock));
      stdout.write(`${JSON.stringify({ runId: run.runId })}\n`);
      process.on("SIGTERM", () => run.stop({ by: "stop", signal: "SIGTERM" }));
      process.on("SIGINT", () => run.stop({ by: "stop", signal: "SIGINT" }));
      process.on("SIGHUP", () => {}); // the terminal it was started from is of no interest to it
      await done;
      return 0;
    } catch (error) {
      const code = error instanceof AppError ? error.code : "internal";
      stdout.write(`${JSON.stringify({ error: { code, message: messageOf(error) } })}\n`);
      return 1;
    }
  },
});
