import type { sessionRoutes } from "../../../contract/api/sessions.ts";
import { requireOwn } from "../../../contract/runs/imported.ts";
import { forkRequest } from "../../../contract/runs/request.ts";
import { appendAudit } from "../../../core/store/audit.ts";
import type { Handlers } from "../api/handlers.ts";
import type { ServerPorts } from "../ports.ts";
import { type Conversations, requireFewAttachments } from "../runs/conversations.ts";
import { openRequestOf } from "../runs/open-requests.ts";
import type { Runs } from "../runs/runs.ts";

/** A run is a session: what a person asks of it. */
export function sessionHandlers(
  { home, clock, start }: ServerPorts,
  runs: Runs,
  conversations: Conversations,
): Handlers<keyof typeof sessionRoutes> {
  const now = () => new Date(clock.now()).toISOString();
  const audit = (what: string, who: string, runId: string, data?: Record<string, unknown>) => {
    const { project, task } = runs.index.require(runId);
    appendAudit(home, { at: now(), what, who, run: runId, project, task, ...(data === undefined ? {} : { data }) });
  };
  return {
    "POST /runs/{run}/prompts": async ({ params: { run }, body }, { by }) => {
      const { content, delivery, prompt_id: promptId, choice } = body;
      const prompted = await conversations.prompt(run, { content, delivery, promptId, choice, by });
      if (prompted.resumed) audit("run.resumed", by, prompted.runId, { previous: run });
      return { run_id: prompted.runId, prompt_id: prompted.promptId, resumed: prompted.resumed };
    },

    "PUT /runs/{run}/queue": async ({ params: { run }, body: { prompt_ids, edited } }, { by }) => {
      await conversations.tell(run, {
        type: "edit_queue",
        promptIds: prompt_ids,
        ...(edited === undefined ? {} : { edited: { promptId: edited.prompt_id, content: edited.content } }),
        by,
      });
      return undefined;
    },

    "POST /runs/{run}/interrupt": async ({ params: { run }, body: { turn } }, { by }) => {
      await conversations.tell(run, { type: "interrupt", ...(turn === undefined ? {} : { turn }), by });
      return undefined;
    },

    "POST /runs/{run}/requests/{pending}": async ({ params: { run, pending }, body }, { by }) => {
      openRequestOf(runs, run, pending);
      await conversations.tell(run, { type: "answer", pendingId: pending, ...body, by });
      return undefined;
    },

    "PUT /runs/{run}/options/{option}": async ({ params: { run, option }, body: { value } }, { by }) => {
      await conversations.tell(run, { type: "set_option", id: option, value, by });
      return undefined;
    },

    "POST /runs/{run}/fork": async ({ params: { run }, body: { turn, content } }, { by }) => {
      requireOwn(runs.require(run).info);
      requireFewAttachments(content);
      const { runId } = await start(forkRequest(run, turn, content, by));
      audit("run.forked", by, runId, { from: run, ...(turn === undefined ? {} : { turn }) });
      return { run_id: runId };
    },

    "POST /runs/{run}/stop": async ({ params: { run }, body: { grace_s } }, { by }) => {
      await conversations.tell(run, {
        type: "stop",
        ...(grace_s === undefined ? {} : { graceMs: grace_s * 1000 }),
        by,
      });
      audit("run.stopped", by, run);
      return undefined;
    },
  };
}
