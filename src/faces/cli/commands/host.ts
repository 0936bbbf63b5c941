import { text } from "node:stream/consumers";
import { AppError, messageOf } from "../../../contract/errors.ts";
import type { DecidedRequest, RunRequest } from "../../../contract/runs/request.ts";
import type { Config } from "../../../core/config/config-keys.ts";
import { decideRequest } from "../../../core/launch/decide-request.ts";
import type { HostAnswer, HostOrder } from "../../../core/launch/detach.ts";
import { hostRun } from "../../../core/launch/host-run.ts";
import { neighboursOf } from "../../../core/launch/neighbours.ts";
import { prepareRun } from "../../../core/launch/prepare-run.ts";
import { Settings } from "../../../core/launch/settings.ts";
import { runWithFallback } from "../../../core/launch/who/fallback.ts";
import { homeAt, homePath } from "../../../core/store/home.ts";
import { BUILD } from "../../../lib/base/version.ts";
import { command } from "../../../lib/command/command.ts";

/** Started by `cox run -d`, the server and the queue: a request on stdin, one line with the run's id (or the refusal) on stdout. */
export default command({
  name: "host",
  summary: "own a detached run (started by cox itself)",
  usage: "cox host < request.json",
  examples: ["cox host < request.json"],
  options: {},
  async run(_, { stdin, stdout, env, clock, onOutputGone }) {
    onOutputGone(() => {}); // whoever started it may leave
    const answer = (line: HostAnswer) => stdout.write(`${JSON.stringify(line)}\n`);
    try {
      const settings = new Settings(homePath(env));
      const asked = requestIn(await text(stdin));
      const { request, notices } = await decideRequest(asked, { env, clock }, settings);
      const home = homeAt(settings.home);
      const decided = closingWhenIdle(request, await settings.config());
      const toSay = [...notices];
      process.on("SIGHUP", () => {}); // the terminal it was started from is of no interest to it
      const host = async (next: DecidedRequest) => {
        const spec = await prepareRun(next, { env, clock }, settings);
        toSay.push(...neighboursOf(spec));
        const { run, done } = await hostRun(spec);
        const { runId, handle } = run;
        const { project, task } = next.where;
        answer({ started: { runId, handle, project, task, agent: next.who.agent, notices: toSay.splice(0) } });
        const terminate = () => run.stop({ by: "stop", signal: "SIGTERM" });
        const interrupt = () => run.stop({ by: "stop", signal: "SIGINT" });
        process.on("SIGTERM", terminate).on("SIGINT", interrupt);
        const info = await done;
        process.off("SIGTERM", terminate).off("SIGINT", interrupt);
        return info;
      };
      await runWithFallback(decided, home, host, (text) => toSay.push(`cox: ${text}`));
      return 0;
    } catch (error) {
      const code = error instanceof AppError ? error.code : "internal";
      answer({ error: { code, message: messageOf(error) } });
      return 1;
    }
  },
});

/** From the same build its shape is known; from another it is refused before anything of it is believed. */
function requestIn(text: string): RunRequest {
  const { build, request }: HostOrder = JSON.parse(text);
  if (build === BUILD) return request;
  throw new AppError("internal", "cox was replaced while it started this run; try again");
}

const IDLE_CLOSE_S = 30 * 60;

/** An agent holds a few hundred megabytes: where nobody sits in front of it, it doesn't wait for ever. */
function closingWhenIdle(request: DecidedRequest, config: Config): DecidedRequest {
  const { what, limits } = request;
  if (what.mode !== "interactive" || limits.closeIdleMs !== undefined) return request;
  const { "session.idle_close": seconds = IDLE_CLOSE_S } = config;
  return { ...request, limits: { ...limits, closeIdleMs: seconds * 1000 } };
}
