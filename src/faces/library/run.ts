import { randomUUID } from "node:crypto";
import { AppError } from "../../contract/errors.ts";
import type { AgentEvent, Content, RecordedEvent } from "../../contract/events.ts";
import { isRunId } from "../../contract/ids.ts";
import { canRemember } from "../../contract/requests/policy.ts";
import type { RunRecord } from "../../contract/runs/record.ts";
import type { OpenRequest } from "../../contract/sessions/transcript.ts";
import { answerRequests } from "./answering.ts";
import { type GivenAnswer, replyTo } from "./given-answer.ts";
import type { Place } from "./place.ts";
import { type TurnResult, turnIn } from "./turn.ts";

/** Called with what the agent asks and nobody else has decided. Returns an answer, or nothing: then it waits for a person. */
export type OnRequest = (
  request: OpenRequest,
  run: Run,
  // biome-ignore lint/suspicious/noConfusingVoidType: a callback that returns nothing is meant
) => GivenAnswer | undefined | void | Promise<GivenAnswer | undefined | void>;

/** A run and those that came of it: whoever answers for the first answers for all, once each. */
interface Family {
  runs: Map<string, Run>;
  onRequest?: OnRequest | undefined;
}

type Given = string | readonly Content[];

export const contentOf = (prompt: Given): readonly Content[] =>
  typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;

const never = new AbortController().signal;

/** One run, live or ended. It doesn't need this program: it goes on when this ends, and anybody else may speak to it too. */
export class Run {
  readonly id: string;
  readonly #place: Promise<Place>;
  readonly #family: Family;

  constructor(place: Promise<Place>, id: string, family: Family = { runs: new Map() }) {
    this.id = id;
    this.#place = place;
    this.#family = family;
    family.runs.set(id, this);
    const { onRequest } = family;
    if (onRequest === undefined) return;
    // What the callback throws is its program's error: nobody catches it here.
    void answerRequests(
      this.#openedFromNow(),
      async (request) => (await onRequest(request, this)) ?? undefined,
      (request, given) => this.answer(request, given),
    );
  }

  /** Its record, with the names that `list` has. */
  async info(): Promise<RunRecord> {
    return (await this.#place).info(this.id);
  }

  /** From the beginning or after a seq, until the run has ended. An aborted signal's reason is thrown. */
  async *events({ after = 0, signal }: { after?: number; signal?: AbortSignal } = {}): AsyncGenerator<RecordedEvent> {
    for await (const events of this.#follow(after, signal ?? never)) yield* events;
    signal?.throwIfAborted();
  }

  /**
   * Says something to it: queued while it works, or into the turn where the agent can (`steer`). A run that has ended goes on in
   * a new one. Returns the run that has the prompt.
   */
  async prompt(prompt: Given, { delivery = "queue" }: { delivery?: "queue" | "steer" } = {}): Promise<Run> {
    const sent = { promptId: randomUUID(), content: contentOf(prompt), delivery };
    return this.#run(await (await this.#place).prompt(this.id, sent));
  }

  /**
   * Prompts it and waits for the end of that turn; without a prompt: for the end of the run's first turn. Thrown where the turn
   * failed.
   */
  async turn(prompt?: Given, { signal = never }: { signal?: AbortSignal } = {}): Promise<TurnResult> {
    signal.throwIfAborted();
    if (prompt === undefined) return turnIn(this.#follow(0, signal), undefined);
    const place = await this.#place;
    const last = await place.lastSeq(this.id);
    const sent = { promptId: randomUUID(), content: contentOf(prompt), delivery: "queue" } as const;
    const next = await this.#run(await place.prompt(this.id, sent));
    return turnIn(next.#follow(next === this ? last : 0, signal), sent.promptId);
  }

  /** Ends the turn that is under way, not the run. */
  async interrupt(): Promise<void> {
    await (await this.#place).interrupt(this.id);
  }

  /** Model, mode, effort: what the last `config_options` event offers. */
  async setOption(id: string, value: string | boolean): Promise<void> {
    await (await this.#place).setOption(this.id, id, value);
  }

  /** Ends it, and waits until it has. Its conversation can go on later. One that has ended already is what was wanted. */
  async stop(): Promise<RunRecord> {
    await (await this.#place).stop(this.id).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== "run.not_live") throw error;
    });
    return this.wait();
  }

  /** Until it has ended: its final record. An aborted signal's reason is thrown. */
  async wait({ signal = never }: { signal?: AbortSignal } = {}): Promise<RunRecord> {
    return (await this.#place).ended(this.id, signal);
  }

  /** What waits for a person. */
  async requests(): Promise<OpenRequest[]> {
    return (await this.#place).requests(this.id);
  }

  /** Whoever answers first counts; the others are refused with `request.resolved`. */
  async answer(
    request: OpenRequest,
    answer: GivenAnswer,
    { reason }: { reason?: string | undefined } = {},
  ): Promise<void> {
    const { cwd } = await this.info();
    const reply = replyTo(request, answer, { canRemember: canRemember(request, cwd), reason });
    await (await this.#place).answer(this.id, request.pendingId, reply);
  }

  /** Goes on with the conversation of a run that has ended, in a new one. */
  async resume(prompt: Given): Promise<Run> {
    if ((await this.info()).end === undefined) {
      throw new AppError("run.live", `run ${this.id}: still runs; send it a prompt, or stop it first`);
    }
    return this.prompt(prompt);
  }

  /** Branches off after a turn of it, or after the last: a new run that knows what was said until then. */
  async fork(prompt: Given, { turn }: { turn?: string } = {}): Promise<Run> {
    return this.#run(await (await this.#place).fork(this.id, contentOf(prompt), turn));
  }

  async *#follow(after: number, signal: AbortSignal): AsyncGenerator<readonly RecordedEvent[]> {
    yield* (await this.#place).follow(this.id, after, signal);
    signal.throwIfAborted();
  }

  /** What waits already, then what comes; what opens meanwhile is in both. */
  async *#openedFromNow(): AsyncGenerator<readonly AgentEvent[]> {
    const place = await this.#place;
    const last = await place.lastSeq(this.id);
    yield await place.requests(this.id);
    yield* place.follow(this.id, last, never);
  }

  async #run(id: string): Promise<Run> {
    // By another name it is still this one.
    if (!isRunId(this.id) && (await this.info()).run_id === id) return this;
    return this.#family.runs.get(id) ?? new Run(this.#place, id, this.#family);
  }
}
