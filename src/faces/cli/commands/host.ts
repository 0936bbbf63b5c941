import { text } from "node:stream/consumers";
import { AppError, messageOf } from "../../../contract/errors.ts";
import { readConfig } from "../../../core/config/config-file.ts";
import { hostRun } from "../../../core/launch/host-run.ts";
import { prepareRun, type RunRequest } from "../../../core/launch/run-request.ts";
import { runWithFallback } from "../../../core/launch/who/fallback.ts";
import { command } from "../../../lib/command/command.ts";

/** Started by `cox run -d`, the server and the queue: a request on stdin, one line with the run's id (or the refusal) on stdout. */
export default command({
  name: "host",
  summary: "own a detached run (started by cox itself)",
  usage: "cox host < request.json",
  options: {},
  async run(_, { stdin, stdout, env, clock }) {
    try {
      const request: RunRequest = JSON.parse(await text(stdin));
      let told = false;
      process.on("SIGHUP", () => {}); // the terminal it was started from is of no interest to it
      const host = async (asked: RunRequest) => {
        const { run, done } = await hostRun(await prepareRun(await closingWhenIdle(asked), env, clock));
        if (!told) stdout.write(`${JSON.stringify({ runId: run.runId })}\n`);
        told = true;
        const terminate = () => run.stop({ by: "stop", signal: "SIGTERM" });
        const interrupt = () => run.stop({ by: "stop", signal: "SIGINT" });
        process.on("SIGTERM", terminate).on("SIGINT", interrupt);
        const info = await done;
        process.off("SIGTERM", terminate).off("SIGINT", interrupt);
        return info;
      };
      await runWithFallback(request, host, () => {});
      return 0;
    } catch (error) {
      const code = error instanceof AppError ? error.code : "internal";
      stdout.write(`${JSON.stringify({ error: { code, message: messageOf(error) } })}\n`);
      return 1;
    }
  },
});

const IDLE_CLOSE_S = 30 * 60;

/** An agent holds a few hundred megabytes: where nobody sits in front of it, it doesn't wait for ever. */
async function closingWhenIdle(asked: RunRequest): Promise<RunRequest> {
  if (asked.mode !== "interactive" || asked.closeIdleMs !== undefined) return asked;
  const { "session.idle_close": seconds = IDLE_CLOSE_S } = await readConfig(asked.home);
  return { ...asked, closeIdleMs: seconds * 1000 };
}
