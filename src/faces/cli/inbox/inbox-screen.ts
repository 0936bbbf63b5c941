import { AppError, messageOf } from "../../../contract/errors.ts";
import { requestName } from "../../../contract/ids.ts";
import { canRemember } from "../../../contract/requests/policy.ts";
import { homeNews } from "../../../core/runs/home-news.ts";
import { type AskedRequest, OpenRequests, openRequestsIn, resolutionOf } from "../../../core/runs/open-requests.ts";
import { openRun, tellRun } from "../../../core/runs/run-access.ts";
import { Blobs } from "../../../core/store/blobs.ts";
import type { Home } from "../../../core/store/home.ts";
import { runPaths } from "../../../core/store/runs/run-directory.ts";
import { readRunInfo } from "../../../core/store/runs/run-info.ts";
import { wrap } from "../../../lib/command/columns.ts";
import type { Context } from "../../../lib/command/command.ts";
import type { Page } from "../../../lib/command/paint.ts";
import { oneLine, revealedLine } from "../../../lib/text/printable.ts";
import { whoResolved } from "../view/lines/event-lines.ts";
import { renderWhole, titleOf, type Whole } from "../view/lines/request-lines.ts";
import type { Key } from "../view/live/keys.ts";
import { type App, FullScreen, type KeyTime } from "../view/terminal/full-screen.ts";
import type { Sheet } from "../view/terminal/sheet.ts";
import { inboxSheet } from "./inbox-sheet.ts";
import {
  decisionIn,
  emptyInbox,
  follow,
  type InboxAction,
  keyOf,
  notSent,
  pressKey,
  type Waiting,
} from "./inbox-state.ts";

/** Everything that waits for a person, one after the other, as it comes, until they leave. */
export async function showInbox(home: Home, context: Context, color?: "auto" | "never"): Promise<number> {
  const app = new InboxApp(home, context, color);
  try {
    for await (const _ of homeNews(home, context.clock, app.screen.left)) app.look();
  } finally {
    app.screen.close();
  }
  return app.screen.code;
}

class InboxApp implements App {
  readonly screen: FullScreen;
  readonly #context: Context;
  readonly #requests: OpenRequests;
  #inbox = emptyInbox;
  #rendered: { request: unknown; width: number; whole: Whole } | undefined;

  constructor(home: Home, context: Context, color: "auto" | "never" | undefined) {
    this.#context = context;
    this.#requests = new OpenRequests(home);
    this.#inbox = follow(emptyInbox, this.#requests.all().map(asWaiting), () => "");
    this.screen = new FullScreen(context, this, color);
  }

  look(): void {
    const waiting = this.#requests.all().map(asWaiting);
    const keys = new Set(waiting.map(keyOf));
    for (const one of this.#inbox.waiting) if (!keys.has(keyOf(one))) this.#sayOver(one);
    this.#inbox = follow(this.#inbox, waiting, (one) => overBecause(one).words);
    this.screen.refresh();
  }

  show(page: Page): Sheet {
    return inboxSheet(this.#inbox, this.#context.clock.now(), (one) => this.#whole(one, page), page);
  }

  /** It may be many megabytes, and is drawn at every key. */
  #whole(one: Waiting, page: Page): Whole {
    const { request } = one;
    const known = this.#rendered;
    if (known?.request === request && known.width === page.width) return known.whole;
    const blobs = new Blobs(runPaths(one.dir).blobs);
    const whole = renderWhole(request, (body) => blobs.text(body), page);
    this.#rendered = { request, width: page.width, whole };
    return whole;
  }

  press(key: Key, time: KeyTime): "more" | "leave" | "nothing" | undefined {
    const before = this.#inbox;
    const { inbox, action } = pressKey(before, key, time);
    this.#inbox = inbox;
    if (action?.do !== "answer") return action?.do ?? (inbox === before ? "nothing" : undefined);
    void this.#answer(action);
    return undefined;
  }

  decision(key: Key, time: KeyTime): string | undefined {
    return decisionIn(this.#inbox, key, time);
  }

  async #answer({ one, reply }: Extract<InboxAction, { do: "answer" }>): Promise<void> {
    const { runId, dir, request } = one;
    try {
      const named = await openRun(this.#context, runId);
      // Another may be asked under its name by now.
      const isOpen = openRequestsIn(runPaths(dir).events).some(({ seq }) => seq === request.seq);
      if (!isOpen) throw new AppError("request.not_found", overBecause(one).words);
      await tellRun(named, { type: "answer", pendingId: request.pendingId, ...reply }, this.#context);
    } catch (error) {
      this.screen.say(({ width, paint }) =>
        wrap(`${paint.marks.failed} ${revealedLine(one.name)} not answered: ${oneLine(messageOf(error))}`, width).map(
          paint.red,
        ),
      );
      this.#inbox = notSent(this.#inbox, one);
    }
    this.look();
  }

  #sayOver(one: Waiting): void {
    const { words, isYes } = overBecause(one);
    this.screen.say(({ width, paint }) => {
      const mark = isYes ? paint.green(paint.marks.done) : paint.yellow(paint.marks.refused);
      const text = wrap(`${revealedLine(one.name)} ${words}: ${titleOf(one.request)}`, width - 2);
      return text.map((row, index) => `${index === 0 ? mark : " "} ${paint.dim(row)}`);
    });
  }
}

/** The request counts, even when the run's own record can't be read. */
function asWaiting(asked: AskedRequest): Waiting {
  const { runId: run_id, dir, request } = asked;
  const { agent, cwd, handle } = readRunInfo(runPaths(dir).info) ?? { agent: "?", cwd: "?", handle: 0 };
  const name = requestName({ handle, run_id }, request.pendingId);
  return { ...asked, name, agent, cwd, canRemember: canRemember(request, cwd) };
}

/** Why nobody waits for it any more: somebody has answered, the agent took it back, or its run has ended. */
function overBecause({ dir, request }: Waiting): { words: string; isYes: boolean } {
  const resolved = resolutionOf(runPaths(dir).events, request.pendingId);
  if (resolved === undefined || resolved.seq < request.seq) {
    const isRunning = readRunInfo(runPaths(dir).info)?.status === "running";
    return { words: isRunning ? "no longer asked" : "no longer asked: its run has ended", isYes: false };
  }
  const who = whoResolved(resolved);
  const isYes = resolved.outcome === "allowed" || resolved.outcome === "answered";
  return { words: `${resolved.outcome}${who === "" ? "" : ` by ${who}`}`, isYes };
}
