import { randomUUID } from "node:crypto";
import type { Answer } from "../../src/contract/commands.ts";
import type { AgentEvent, EventOf, RecordedEvent } from "../../src/contract/events.ts";
import type { RunInfo } from "../../src/contract/runs/run.ts";
import { type Run, type RunSpec, startRun } from "../../src/core/runner/run.ts";
import { systemClock } from "../../src/lib/base/clock.ts";

const SOON_MS = 10_000;

/** One interactive run of any agent, driven and observed as a person would: by commands and events. */
export class Conversation {
  readonly run: Run;
  readonly events: RecordedEvent[] = [];
  #wake: () => void = () => {};
  #over = false;

  constructor(spec: RunSpec) {
    this.run = startRun({ ...spec, what: { ...spec.what, mode: "interactive", prompt: [] } });
    this.run.watch((events) => {
      this.events.push(...events);
      this.#wake();
    });
    void this.run.ended.then(() => {
      this.#over = true;
      this.#wake();
    });
  }

  async prompt(text: string): Promise<void> {
    await this.run.send({
      type: "prompt",
      promptId: randomUUID(),
      content: [{ type: "text", text }],
      delivery: "queue",
    });
  }

  /** Prompts and waits for the end of the turn; returns what happened in it. */
  async turn(text: string): Promise<Turn> {
    const from = this.events.length;
    await this.prompt(text);
    await this.next("complete", from);
    return new Turn(this.events.slice(from));
  }

  /** The first event of this type from there on; rejects when the turn or the run ends without it. */
  async next<T extends AgentEvent["type"]>(
    type: T,
    from = 0,
    fits: (event: EventOf<T>) => boolean = () => true,
  ): Promise<EventOf<T>> {
    for (;;) {
      const heard = this.events.slice(from);
      const found = heard.find((event) => event.type === type && fits(event as unknown as EventOf<T>));
      if (found) return found as unknown as EventOf<T>;
      const over = this.#over ? "run" : heard.some((event) => event.type === "complete") ? "turn" : undefined;
      if (over) throw new Error(`the ${over} ended without ${type}: ${JSON.stringify(heard.slice(-4)).slice(0, 2000)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Everything it said so far. */
  get text(): string {
    return new Turn(this.events).text;
  }

  /** The same, for what may never come. */
  async soon<T extends AgentEvent["type"]>(type: T, fits: (event: EventOf<T>) => boolean): Promise<EventOf<T>> {
    const late = new AbortController();
    const never = systemClock.sleep(SOON_MS, late.signal).then(() => {
      throw new Error(`no ${type} within ${SOON_MS / 1000} s`);
    });
    return Promise.race([this.next(type, 0, fits), never]).finally(() => late.abort());
  }

  answer(pendingId: string, answer: Answer, by = "tester"): Promise<void> {
    return this.run.send({ type: "answer", pendingId, answer, by });
  }

  /** Allows or rejects by the option of that kind. */
  choose(request: EventOf<"permission_request">, kind: "allow" | "reject", reason?: string): Promise<void> {
    const option = request.permissionOptions.find((candidate) => candidate.kind === `${kind}_once`);
    if (option === undefined) throw new Error(`no ${kind}_once in ${JSON.stringify(request.permissionOptions)}`);
    return this.answer(request.pendingId, { optionId: option.id, reason });
  }

  async stop(): Promise<RunInfo> {
    this.run.stop({ by: "stop" });
    return this.run.ended;
  }
}

export class Turn {
  readonly events: readonly RecordedEvent[];

  constructor(events: readonly RecordedEvent[]) {
    this.events = events;
  }

  all<T extends AgentEvent["type"]>(type: T): EventOf<T>[] {
    return this.events.filter((event) => event.type === type) as unknown as EventOf<T>[];
  }

  get text(): string {
    return this.all("message_chunk")
      .filter((event) => event.type === "message_chunk")
      .map((event) => event.text)
      .join("");
  }

  get thoughts(): string {
    return this.all("reasoning")
      .filter((event) => event.type === "reasoning")
      .map((event) => event.text)
      .join("");
  }

  get end(): EventOf<"complete"> {
    return this.all("complete")[0] as EventOf<"complete">;
  }

  /** The tools of the turn with everything that was said about each. */
  get tools(): {
    call: EventOf<"tool_call">;
    updates: EventOf<"tool_update">[];
    status: string | undefined;
    result: string;
  }[] {
    return this.all("tool_call").map((call) => {
      const updates = this.all("tool_update").filter((update) => update.toolCallId === call.toolCallId);
      const all = [call, ...updates];
      const status = all.findLast((event) => event.toolStatus !== undefined)?.toolStatus;
      const result = all.findLast((event) => event.result !== undefined)?.result;
      return { call, updates, status, result: typeof result === "string" ? result : (result?.head ?? "") };
    });
  }
}
