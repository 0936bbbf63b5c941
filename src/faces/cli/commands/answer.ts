import { AppError } from "../../../contract/errors.ts";
import { canRemember } from "../../../contract/requests/policy.ts";
import { declining, replyFrom } from "../../../contract/requests/reply.ts";
import { allOpenRequests, openRequestsIn, resolutionOf, runsThatAsked } from "../../../core/runs/open-requests.ts";
import { type NamedRun, openRun, tellRun } from "../../../core/runs/run-access.ts";
import type { RecordedRequest } from "../../../core/store/events/recent-state.ts";
import { homeAt, homePath } from "../../../core/store/home.ts";
import { heal } from "../../../core/tasks/heal.ts";
import { fit } from "../../../lib/command/columns.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { oneLine, revealedLine } from "../../../lib/text/printable.ts";
import { titleOf } from "../view/lines/request-lines.ts";

export default command({
  name: "answer",
  summary: "Answer what an agent asks; `cox inbox` lists what is open.",
  usage: "cox answer RUN/REQUEST allow|always|deny|OPTION|TEXT…",
  options: {
    reason: { value: "TEXT", help: "why; the agent is told" },
    decline: { help: "refuse to answer a question" },
  },
  examples: [
    "cox answer RUN/p0 allow                     as `cox inbox` names it",
    "cox answer RUN/p0 always                    the same is never asked again in this project: a rule",
    'cox answer RUN/p0 deny --reason "use npm"   and the agent is told why',
    'cox answer RUN/p1 2 "the second one"        two questions: a choice by number, a text',
    "cox answer RUN/p1 red,blue                  several choices",
    "cox answer p0 allow                         where nothing else is open, and no other run had a p0 lately",
  ],
  async run({ values, positionals }, context) {
    refuseInsideRun(context.env);
    const [name, ...words] = positionals;
    if (name === undefined || (words.length === 0) !== (values.decline === true)) {
      throw new AppError("usage.invalid", "cox answer: which request, and what answer? see `cox answer --help`");
    }
    const { named, request } = await findRequest(context, name);
    const { pendingId } = request;
    const reply = values.decline
      ? { answer: declining(values.reason) }
      : replyFrom(request, words, { canRemember: canRemember(request, named.info.cwd), reason: values.reason });
    await tellRun(named, { type: "answer", pendingId, ...reply }, context);
    context.stdout.write(`answered ${oneLine(pendingId)} of run ${named.run.run_id}: ${fit(titleOf(request), 100)}\n`);
    if ("remember" in reply) {
      const project = oneLine(named.info.project_id);
      context.stdout.write(`from now on the same is allowed in project ${project}; \`cox rules\` lists and revokes\n`);
    }
    return 0;
  },
});

/** An agent that answers its own request has asked nobody. This stops accidents; the fence is the sandbox. */
function refuseInsideRun({ COX_RUN_ID: runId }: NodeJS.ProcessEnv): void {
  if (runId === undefined || runId === "") return;
  throw new AppError(
    "command.unsupported",
    `cox answer: refused inside run ${runId}: requests are for a person; answer from a terminal outside of it`,
  );
}

interface Found {
  named: NamedRun;
  request: RecordedRequest;
}

async function findRequest(context: Context, name: string): Promise<Found> {
  const slash = name.indexOf("/");
  return slash === -1 ? findAnywhere(context, name) : findIn(context, name.slice(0, slash), name.slice(slash + 1));
}

async function findIn(context: Context, runName: string, pendingId: string): Promise<Found> {
  const named = await openRun(context, runName);
  const open = openRequestsIn(named.run.paths.events);
  const request = theOne(open, pendingId);
  if (request !== undefined) return { named, request };
  throw notOpen(named, pendingId);
}

/**
 * Every run has a p0. Between looking and answering the one that was meant may be answered elsewhere, and another run ask: so
 * the bare name counts only where it can't have been another one.
 */
async function findAnywhere(context: Context, pendingId: string): Promise<Found> {
  const home = homeAt(homePath(context.env));
  await heal(home, context.clock);
  const all = allOpenRequests(home);
  const one = all.find(({ request }) => request.pendingId === pendingId);
  if (one === undefined) {
    throw new AppError(
      "request.not_found",
      `request ${oneLine(pendingId)}: not open in any run; \`cox inbox\` lists what is`,
    );
  }
  const since = new Date(context.clock.now() - LATELY_MS).toISOString();
  if (all.length > 1 || runsThatAsked(home, pendingId, since).some((runId) => runId !== one.runId)) {
    const names = all.map(({ runId, request }) => revealedLine(`${runId}/${request.pendingId}`));
    throw new AppError(
      "run.ambiguous",
      `request ${oneLine(pendingId)}: without its run it could be another one; say which: ${names.join(" or ")}`,
    );
  }
  return { named: await openRun(context, one.runId), request: one.request };
}

/** Longer than anybody looks at a list before answering. */
const LATELY_MS = 10 * 60_000;

/** By its id, or the beginning of it where that is enough. */
function theOne(open: readonly RecordedRequest[], pendingId: string): RecordedRequest | undefined {
  const exact = open.find((request) => request.pendingId === pendingId);
  if (exact !== undefined) return exact;
  const begins = open.filter((request) => request.pendingId.startsWith(pendingId));
  return pendingId !== "" && begins.length === 1 ? begins[0] : undefined;
}

function notOpen({ run, info }: NamedRun, pendingId: string): AppError {
  const what = `request ${run.run_id}/${oneLine(pendingId)}`;
  const resolved = resolutionOf(run.paths.events, pendingId);
  if (resolved !== undefined) {
    const { outcome, who, by, at } = resolved;
    const whom = oneLine(who ?? by);
    return new AppError("request.resolved", `${what}: already ${outcome} by ${whom} at ${at}`, { by, who, at });
  }
  const hint = info.status === "running" ? "`cox inbox` lists what is open" : "the run has ended";
  return new AppError("request.not_found", `${what}: not open; ${hint}`);
}
