import type { SentCommand } from "../contract/commands.ts";
import { AppError, messageOf } from "../contract/errors.ts";
import type { ConfigOption, RecordedEvent } from "../contract/events.ts";
import { runName } from "../contract/ids.ts";
import { resumeRequest } from "../contract/runs/request.ts";
import { readConfig } from "../core/config/config-file.ts";
import { startDetached } from "../core/launch/detach.ts";
import { attribution, type NamedRun, openRun, tellRun, whenEnded } from "../core/runs/run-access.ts";
import { Blobs } from "../core/store/blobs.ts";
import { followEvents, isClosed, lastTurn } from "../core/store/events/event-reader.ts";
import { requestOf } from "../faces/cli/run-options.ts";
import { createView, type LiveView } from "../faces/cli/view/index.ts";
import { Channel } from "../lib/base/channel.ts";
import type { Context } from "../lib/command/command.ts";
import { styleFor } from "../lib/command/style.ts";
import { isSilent, leaveSilent } from "./leave-silent.ts";

/** A new conversation, whose run waits for the first prompt. */
export async function beginChat(values: Parameters<typeof requestOf>[0], context: Context): Promise<NamedRun> {
  const request = await requestOf({ ...values, interactive: true, detach: true }, [""], context);
  const { runId, notices } = await startDetached(request, context.env);
  for (const notice of notices) context.stderr.write(`${notice}\n`);
  return openRun(context, runId);
}

/**
 * One conversation at a terminal, over as many runs as it takes: when its run is closed, the next prompt begins another that
 * goes on with it. Leaving ends nothing.
 */
export class Chat {
  readonly #context: Context;
  readonly #isNew: boolean;
  readonly #leaving = new AbortController();
  #named: NamedRun;
  #view: LiveView | undefined;
  #options: readonly ConfigOption[] = [];
  #said = false;
  /** Runs that go on with the conversation, each when the one before is over. */
  readonly #following = new Channel<NamedRun>();

  constructor(context: Context, named: NamedRun, { isNew }: { isNew: boolean }) {
    this.#context = context;
    this.#named = named;
    this.#isNew = isNew;
  }

  async talk(): Promise<number> {
    const leave = () => {
      this.#leaving.abort();
      this.#following.end();
    };
    process.once("SIGINT", leave);
    process.once("SIGHUP", leave);
    const view = await this.#open(leave);
    this.#view = view;
    try {
      await this.#follow(view, this.#isNew ? 0 : lastTurn(this.#named.run.paths.events));
      for await (const next of this.#following) {
        this.#named = next;
        await this.#follow(view, 0);
        if (this.#leaving.signal.aborted) break;
      }
    } finally {
      view.close();
      process.off("SIGINT", leave);
      process.off("SIGHUP", leave);
    }
    return this.#left();
  }

  async #open(leave: () => void): Promise<LiveView> {
    const { info, home } = this.#named;
    const config = await readConfig(home.root);
    return createView({
      context: this.#context,
      style: styleFor({}, this.#context),
      interactive: true,
      header: info,
      send: (command) => this.#send(command),
      readBody: (body) => new Blobs(this.#named.run.paths.blobs).text(body),
      onInterruptKey: leave,
      interruptKey: () => "leaves, Esc interrupts, ? keys",
      onEscapeKey: () => void this.#send({ type: "interrupt" }).catch(() => {}), // nothing is under way
      onDetachKey: leave,
      onEnd: leave,
      onTerminalGone: leave,
      says: {
        ctrlC: "leaves; the run goes on",
        quit: "leaves; the run goes on",
        words: [
          ["/model [NAME]", "shows which models there are; takes one"],
          ["/mode [NAME]", "the same for modes, /effort for effort"],
        ],
      },
      thinking: config["view.thinking"],
      color: config.color,
    });
  }

  /** Until the run is closed. That is told in other words: here it is a pause. */
  async #follow(view: LiveView, from: number): Promise<void> {
    const { signal } = this.#leaving;
    const ended = whenEnded(this.#named, this.#context.clock, signal);
    for await (const events of followEvents(this.#named.run.paths.events, { from, signal, until: ended })) {
      for (const event of events) if (event.type === "config_options") this.#options = event.options;
      view.show(events.map((event) => (isClosed(event) ? pausing(event) : event)));
    }
    if (!signal.aborted) this.#named = { ...this.#named, info: await ended };
  }

  async #send(command: SentCommand): Promise<void> {
    if (command.type !== "prompt") return tellRun(this.#named, command, this.#context);
    const text = command.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    const [, category, value] = /^\/(model|mode|effort)(?:\s+(\S+))?\s*$/.exec(text) ?? [];
    if (category !== undefined) return this.#setOption(category, value);
    this.#said = true;
    try {
      await tellRun(this.#named, command, this.#context);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "run.not_live") throw error;
      await this.#resume(command);
    }
  }

  async #resume({ promptId, content }: SentCommand & { type: "prompt" }): Promise<void> {
    const { run_id: runId } = this.#named.run;
    const request = resumeRequest(runId, { prompt: content, promptId }, attribution());
    const { runId: next } = await startDetached(request, this.#context.env);
    this.#following.push(await openRun(this.#context, next));
  }

  async #setOption(category: string, value: string | undefined): Promise<void> {
    const option = this.#options.find((one) => one.category === category);
    if (option === undefined) throw new AppError("command.unsupported", `this agent has no ${category} to switch`);
    const known = option.choices?.map((choice) => choice.value) ?? [];
    if (value === undefined) return this.#note(`${category}: ${String(option.value)}; there are ${known.join(", ")}`);
    await tellRun(this.#named, { type: "set_option", id: option.id, value }, this.#context);
    this.#note(`${category}: ${value}`);
  }

  #note(text: string): void {
    const at = new Date(this.#context.clock.now()).toISOString();
    this.#view?.show([{ seq: 0, at, type: "notice", code: "chat", text }]);
  }

  /** A conversation in which nobody said anything leaves nothing behind. */
  async #left(): Promise<number> {
    const { run, info } = this.#named;
    if (info.status !== "running") return 0;
    if (this.#isNew && !this.#said && isSilent(this.#named)) {
      try {
        await leaveSilent(this.#named, this.#context);
      } catch (error) {
        this.#context.stderr.write(`cox: ${messageOf(error)}\n`);
      }
      return 0;
    }
    this.#context.stderr.write(`left; run ${runName(run)} goes on: \`cox chat ${runName(run)}\`\n`);
    return 0;
  }
}

function pausing(event: RecordedEvent): RecordedEvent {
  const { seq, at } = event;
  const reason = event.type === "session_status" && event.status === "closed" ? event.reason : "";
  return { seq, at, type: "notice", code: "closed", text: `closed: ${reason}; your next message goes on with it` };
}
