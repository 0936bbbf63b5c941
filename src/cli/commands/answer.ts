import { oneLine } from "../../base/printable.ts";
import type { Answer } from "../../contract/commands.ts";
import { AppError } from "../../contract/errors.ts";
import { homeAt, homePath } from "../../store/home.ts";
import { heal } from "../../tasks/heal.ts";
import { answerFrom } from "../answer-words.ts";
import { type Context, command } from "../command.ts";
import { allOpenRequests, openRequestsIn, type RecordedRequest, resolutionOf } from "../open-requests.ts";
import { type NamedRun, openRun, tellRun } from "../run-access.ts";
import { fit } from "../view/columns.ts";
import { titleOf } from "../view/request-lines.ts";

export default command({
  name: "answer",
  summary: "Answer what an agent asks; `cox inbox` lists what is open.",
  usage: "cox answer REQUEST allow|always|deny|OPTION|TEXT…",
  options: {
    reason: { value: "TEXT", help: "why; the agent is told" },
    decline: { help: "refuse to answer a question" },
  },
  examples: [
    "cox answer p0 allow                            the only p0 there is",
    'cox answer latest/p0 deny --reason "use npm"   of this run',
    'cox answer p1 2 "the second one"               two questions: a choice by number, a text',
    "cox answer p1 red,blue                         several choices",
  ],
  async run({ values, positionals }, context) {
    refuseInsideRun(context.env);
    const [name, ...words] = positionals;
    if (name === undefined || (words.length === 0) !== (values.decline === true)) {
      throw new AppError("usage.invalid", "cox answer: which request, and what answer? see `cox answer --help`");
    }
    const { named, request } = await findRequest(context, name);
    const { pendingId } = request;
    const answer = values.decline ? declined(values.reason) : answerFrom(request, words, values.reason);
    await tellRun(named, { type: "answer", pendingId, answer }, context);
    context.stdout.write(`answered ${oneLine(pendingId)} of run ${named.run.run_id}: ${fit(titleOf(request), 100)}\n`);
    return 0;
  },
});

const declined = (reason: string | undefined): Answer =>
  reason === undefined ? { decline: true } : { decline: true, reason };

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

async function findAnywhere(context: Context, pendingId: string): Promise<Found> {
  const home = homeAt(homePath(context.env));
  await heal(home, context.clock);
  const all = allOpenRequests(home);
  const exact = all.filter(({ request }) => request.pendingId === pendingId);
  const [one, other] = exact.length > 0 ? exact : all.filter(({ request }) => request.pendingId.startsWith(pendingId));
  if (one === undefined || pendingId === "") {
    throw new AppError(
      "request.not_found",
      `request ${oneLine(pendingId)}: not open in any run; \`cox inbox\` lists what is`,
    );
  }
  if (other !== undefined) {
    const names = [one, other].map(({ runId, request }) => `${runId}/${request.pendingId}`);
    throw new AppError(
      "run.ambiguous",
      `request ${oneLine(pendingId)}: fits several that are open; say which: ${names.join(" or ")}`,
    );
  }
  return { named: await openRun(context, one.runId), request: one.request };
}

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
