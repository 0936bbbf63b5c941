import { AppError } from "../../contract/errors.ts";
import type { Content } from "../../contract/events.ts";
import { forkRequest, resumeRequest } from "../../contract/runs/request.ts";
import { lastOfConversation } from "../../core/runs/conversation.ts";
import { listRuns } from "../../core/runs/list-runs.ts";
import { openRequestsIn } from "../../core/runs/open-requests.ts";
import { openRun, person, readInfo, tellRun, whenEnded } from "../../core/runs/run-access.ts";
import { readRecord } from "../../core/runs/run-record.ts";
import { eventsBackward, followEvents } from "../../core/store/events/event-reader.ts";
import { homeAt, homePath, requirePrivateHome } from "../../core/store/home.ts";
import { findRun } from "../../core/store/runs/find-run.ts";
import { heal } from "../../core/tasks/heal.ts";
import { systemClock as clock } from "../../lib/base/clock.ts";
import { type Place, type Prompt, pagesOf } from "./place.ts";
import type { RegisteredAgents } from "./registered/registered-agent.ts";
import { startWith } from "./registered/start-here.ts";
import { requestOf } from "./start-options.ts";

/** This machine: each run in a host of its own, or in this process, reached through its socket and its files. */
export function localPlace(env: NodeJS.ProcessEnv, agents: RegisteredAgents): Place {
  const home = homeAt(homePath(env));
  requirePrivateHome(home.root);
  const context = { env, clock };
  const start = startWith(agents, env);
  const by = `${person()} program`;
  const tell = async (run: string, command: Parameters<typeof tellRun>[1]) =>
    tellRun(await openRun(context, run), { ...command, by }, context);

  /** To whoever has the conversation now; where nobody does, a new run goes on with it. */
  const promptOnce = async (run: string, { promptId, content, delivery }: Prompt): Promise<string> => {
    const latest = await openRun(context, lastOfConversation(home, run));
    if (latest.info.status === "running") {
      await tellRun(latest, { type: "prompt", promptId, content: [...content], delivery, by }, context);
      return latest.info.run_id;
    }
    return (await start(resumeRequest(latest.info.run_id, { prompt: content, promptId }, by))).runId;
  };

  return {
    start: async (options) => (await start(requestOf(options, by))).runId,

    info: async (run) => readRecord(home, (await openRun(context, run)).run),

    async list(wanted) {
      await heal(home, clock);
      return pagesOf(wanted, async (page) => listRuns(home, page));
    },

    async *follow(run, after, signal) {
      const named = await openRun(context, run);
      const left = new AbortController(); // whoever stops listening needn't know when it ends
      const until = whenEnded(named, clock, AbortSignal.any([signal, left.signal]));
      try {
        for await (const events of followEvents(named.run.paths.events, { signal, until })) {
          yield events.filter(({ seq }) => seq > after);
        }
      } finally {
        left.abort();
      }
    },

    async ended(run, signal) {
      const named = await openRun(context, run);
      const { status } = await whenEnded(named, clock, signal);
      if (status === "running") signal.throwIfAborted();
      return readRecord(home, named.run);
    },

    async lastSeq(run) {
      for (const { seq } of eventsBackward(findRun(home, run).paths.events)) return seq;
      return 0;
    },

    async requests(run) {
      const named = await openRun(context, run);
      return named.info.status === "running" ? openRequestsIn(named.run.paths.events) : [];
    },

    async prompt(run, prompt) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await promptOnce(run, prompt);
        } catch (error) {
          // It ended, or another began to go on with it, while we looked: look again.
          const again = error instanceof AppError && (error.code === "run.not_live" || error.code === "session.busy");
          if (!again || attempt === ATTEMPTS) throw error;
          await clock.sleep(50 * attempt);
        }
      }
    },

    answer: (run, pendingId, reply) => tell(run, { type: "answer", pendingId, ...reply }),
    interrupt: (run) => tell(run, { type: "interrupt" }),
    setOption: (run, id, value) => tell(run, { type: "set_option", id, value }),
    stop: (run) => tell(run, { type: "stop" }),

    async fork(run, prompt: readonly Content[], turn) {
      const { run_id } = readInfo(findRun(home, run));
      return (await start(forkRequest(run_id, turn, prompt, by))).runId;
    },
  };
}

const ATTEMPTS = 20;
