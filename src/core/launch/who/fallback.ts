import { AppError } from "../../../contract/errors.ts";
import type { DecidedRequest } from "../../../contract/runs/request.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import { appendMessage, busPath } from "../../store/bus/bus.ts";
import type { Home } from "../../store/home.ts";
import { inTask } from "../in-task.ts";

/**
 * The first agent of the list that can work: the next takes over when one isn't installed, isn't logged in, has no credit or has
 * reached its limit. Each change is a WARNING on the task's bus, and the runs are a chain.
 */
export function runWithFallback(
  decided: DecidedRequest,
  home: Home,
  run: (request: DecidedRequest) => Promise<RunInfo>,
  say: (text: string) => void,
): Promise<RunInfo> {
  return inTask(decided, home.root, (request) => firstThatCan(request, home, run, say));
}

async function firstThatCan(
  request: DecidedRequest,
  home: Home,
  run: (request: DecidedRequest) => Promise<RunInfo>,
  say: (text: string) => void,
): Promise<RunInfo> {
  let asked = request;
  for (const next of request.who.fallback ?? []) {
    const { why, info } = await attempt(asked, run);
    if (why === undefined) return info;
    const text = `${asked.who.agent} can't work (${why}): ${next} takes over`;
    say(text);
    const { project, task } = request.where;
    const at = busPath(home, project, task);
    appendMessage(at, { type: "WARNING", project, task, run: info?.run_id, body: text }, Date.now());
    // Another agent has another model and knows nothing of this one's conversation.
    asked = {
      ...request,
      who: { agent: next, profile: "" },
      lineage: { ...request.lineage, conversation: undefined, previous: info?.run_id },
    };
  }
  return run(asked);
}

type Attempt = { why: undefined; info: RunInfo } | { why: string; info: RunInfo | undefined };

async function attempt(request: DecidedRequest, run: (request: DecidedRequest) => Promise<RunInfo>): Promise<Attempt> {
  try {
    const info = await run(request);
    const why = whyFallBack(info);
    return why === undefined ? { why, info } : { why, info };
  } catch (error) {
    const why = whyRefused(error);
    if (why === undefined) throw error;
    return { why, info: undefined };
  }
}

/** Troubles of an account or an installation: another agent doesn't have them. */
const categories = new Set(["auth", "credits", "rate_limit"]);

/** Why another agent should take over, if it should; `undefined` when this one has done or spoilt the work itself. */
function whyFallBack(info: Pick<RunInfo, "status" | "reason" | "category" | "error_summary">): string | undefined {
  if (info.status !== "failed") return undefined;
  const isTrouble = info.reason === "spawn_failed" || (info.reason === "turn_failed" && categories.has(info.category));
  return isTrouble ? info.error_summary : undefined;
}

/** The same for an agent that could not even be asked. */
function whyRefused(error: unknown): string | undefined {
  if (!(error instanceof AppError)) return undefined;
  const { code, message } = error;
  return code === "agent.not_installed" || code === "agent.not_executable" || code === "agent.not_ready"
    ? message
    : undefined;
}

/** `codex,gemini` */
export function fallbackList(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const names = text.split(",").map((name) => name.trim().toLowerCase());
  if (names.every((name) => name !== "")) return names;
  throw new AppError("usage.invalid", `--fallback ${JSON.stringify(text)}: give agents' names with commas between`);
}
