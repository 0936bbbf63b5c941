import { AppError } from "../../../contract/errors.ts";
import { isRunId, isRunName, requestName } from "../../../contract/ids.ts";
import { canRemember } from "../../../contract/requests/policy.ts";
import { declining, isDeafTo, outcomeOf, replyFrom } from "../../../contract/requests/reply.ts";
import {
  type AskedRequest,
  allOpenRequests,
  openRequestsIn,
  resolutionOf,
  resolvedSince,
} from "../../../core/runs/open-requests.ts";
import { type NamedRun, openRun, person, tellRun } from "../../../core/runs/run-access.ts";
import type { RecordedRequest } from "../../../core/store/events/recent-state.ts";
import { type Home, homeAt, homePath } from "../../../core/store/home.ts";
import { nameOfRun } from "../../../core/store/runs/find-run.ts";
import { heal } from "../../../core/tasks/heal.ts";
import { fit } from "../../../lib/command/columns.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { oneLine, revealedLine } from "../../../lib/text/printable.ts";
import { refuseInsideRun } from "../run-socket.ts";
import { titleOf } from "../view/lines/request-lines.ts";

export default command({
  name: "answer",
  summary: "Answer what an agent asks; `cox inbox` lists what is open.",
  usage: "cox answer [RUN.REQUEST] allow|always|deny|OPTION|TEXT...",
  options: {
    reason: { value: "TEXT", help: "why; the agent is told, where it can be" },
    decline: { help: "refuse to answer a question" },
  },
  examples: [
    "cox answer r12.p0 allow                     as `cox inbox` names it",
    "cox answer r12.p0 always                    the same is never asked again in this project: a rule",
    'cox answer r12.p0 deny --reason "use npm"   and the agent is told why',
    'cox answer r12.p1 2 "the second one"        two questions: a choice by number, a text',
    "cox answer r12.p1 red,blue                  several choices",
    "cox answer allow                            where nothing else is open, nor was lately",
  ],
  async run({ values, positionals }, context) {
    refuseInsideRun("cox answer", context.env);
    const { request: named, words } = readWords(positionals);
    if ((words.length === 0) !== (values.decline === true)) {
      throw new AppError("usage.invalid", "cox answer: which request, and what answer? see `cox answer --help`");
    }
    const found = await findRequest(context, named);
    const { request } = found;
    const { info } = found.named;
    const { pendingId } = request;
    const reply = values.decline
      ? { answer: declining(values.reason) }
      : replyFrom(request, words, { canRemember: canRemember(request, info.cwd), reason: values.reason });
    await tellRun(found.named, { type: "answer", pendingId, ...reply }, context);
    const name = oneLine(requestName(info, pendingId));
    context.stdout.write(`${outcomeOf(request, reply)} ${name}: ${fit(titleOf(request), 100)}\n`);
    if (values.reason !== undefined && isDeafTo(request)) {
      context.stdout.write(`${oneLine(info.agent)} can't be told why; the reason is in the run's record\n`);
    }
    if ("remember" in reply) {
      const project = oneLine(info.project_id);
      context.stdout.write(`from now on the same is allowed in project ${project}; \`cox rules\` lists and revokes\n`);
    }
    return 0;
  },
});

/** Which request: in a run, by its bare name, or whichever is open. */
type Asked = { run: string; pendingId: string } | { pendingId: string } | "the only one";

/** `r12.p0 allow`, `p0 allow`, or an answer alone. A run may be called by its task, and a task's name may have dots. */
function readWords([first = "", ...rest]: readonly string[]): { request: Asked; words: readonly string[] } {
  const dot = first.lastIndexOf(".");
  const [run, pendingId] = [first.slice(0, Math.max(dot, 0)), first.slice(dot + 1)];
  const isNamed = NUMBERED.test(pendingId) || isRunName(run) || isRunId(run);
  if (run !== "" && pendingId !== "" && isNamed) return { request: { run, pendingId }, words: rest };
  if (NUMBERED.test(first)) return { request: { pendingId: first }, words: rest };
  if (isRunName(first) || isRunId(first)) {
    throw new AppError(
      "usage.invalid",
      `cox answer: which request of run ${first}? as in \`cox answer ${first}.p0 …\``,
    );
  }
  return { request: "the only one", words: first === "" ? rest : [first, ...rest] };
}

const NUMBERED = /^p\d+$/;

interface Found {
  named: NamedRun;
  request: RecordedRequest;
}

async function findRequest(context: Context, asked: Asked): Promise<Found> {
  if (asked !== "the only one" && "run" in asked) return findIn(context, asked.run, asked.pendingId);
  const home = homeAt(homePath(context.env));
  await heal(home, context.clock);
  const all = allOpenRequests(home);
  const one =
    asked === "the only one" ? theOnly(home, all, context) : theOnlyNamed(home, all, asked.pendingId, context);
  return { named: await openRun(context, one.runId), request: one.request };
}

async function findIn(context: Context, name: string, pendingId: string): Promise<Found> {
  const named = await openRun(context, name);
  const request = openRequestsIn(named.run.paths.events).find((open) => open.pendingId === pendingId);
  if (request !== undefined) return { named, request };
  throw notOpen(named, pendingId);
}

/**
 * Every run has a p0. Between looking and answering the one that was meant may be answered elsewhere, and another run ask: so
 * the bare name counts only where it can't have been another one.
 */
function theOnlyNamed(home: Home, all: readonly AskedRequest[], pendingId: string, { clock }: Context): AskedRequest {
  const one = all.find(({ request }) => request.pendingId === pendingId);
  if (one === undefined) {
    throw new AppError(
      "request.not_found",
      `request ${oneLine(pendingId)}: not open in any run; \`cox inbox\` lists what is`,
    );
  }
  const isOther = ({ runId, resolved }: Before) => resolved.pendingId === pendingId && runId !== one.runId;
  if (all.length === 1 && !someLately(home, clock.now(), isOther)) return one;
  const why = `request ${oneLine(pendingId)}: without its run it could be another one`;
  throw new AppError("run.ambiguous", `${why}; say which: ${namesOf(home, all)}`);
}

/** The same care. What the person has answered themselves they don't mean any more. */
function theOnly(home: Home, all: readonly AskedRequest[], { clock }: Context): AskedRequest {
  const [one] = all;
  if (one === undefined) throw new AppError("request.not_found", "cox answer: nobody waits for you");
  if (all.length > 1) {
    throw new AppError("run.ambiguous", `cox answer: ${all.length} wait for you; say which: ${namesOf(home, all)}`);
  }
  const isOther = ({ resolved: { by, who = "" } }: Before) =>
    by !== "policy" && by !== "rule" && who.split(" ")[0] !== person();
  const isNew = clock.now() - Date.parse(one.request.at) < READING_MS;
  if (!isNew && !someLately(home, clock.now(), isOther)) return one;
  const why = isNew ? "was asked only just now" : "is open, but another one was, a moment ago";
  const name = namesOf(home, all);
  throw new AppError("run.ambiguous", `cox answer: ${name} ${why}; if you mean it: cox answer ${name} …`);
}

type Before = ReturnType<typeof resolvedSince> extends Generator<infer One> ? One : never;

function someLately(home: Home, now: number, isOther: (before: Before) => boolean): boolean {
  for (const before of resolvedSince(home, new Date(now - LATELY_MS).toISOString())) if (isOther(before)) return true;
  return false;
}

/** Longer than anybody looks at a list before answering. */
const LATELY_MS = 10 * 60_000;

/** Nobody has read it sooner. */
const READING_MS = 1000;

const namesOf = (home: Home, all: readonly AskedRequest[]): string =>
  all.map(({ runId, request }) => revealedLine(`${nameOfRun(home, runId)}.${request.pendingId}`)).join(" or ");

function notOpen({ run, info }: NamedRun, pendingId: string): AppError {
  const what = `request ${oneLine(requestName(info, pendingId))}`;
  const resolved = resolutionOf(run.paths.events, pendingId);
  if (resolved !== undefined) {
    const { outcome, who, by, at } = resolved;
    const whom = oneLine(who ?? by);
    return new AppError("request.resolved", `${what}: already ${outcome} by ${whom} at ${at}`, { by, who, at });
  }
  const hint = info.status === "running" ? "`cox inbox` lists what is open" : "the run has ended";
  return new AppError("request.not_found", `${what}: not open; ${hint}`);
}
