import type { RunDetail } from "../../../src/contract/api/runs.ts";
import { AppError } from "../../../src/contract/errors.ts";
import type { RecordedEvent } from "../../../src/contract/events.ts";
import { type OpenRequest, phaseOf, type SessionState } from "../../../src/contract/sessions/session-state.ts";
import { type ContextWindow, contextWindow } from "../../../src/contract/sessions/transcript.ts";
import { followEvents } from "../../../src/lib/client/event-stream.ts";
import { problemText, server } from "../api/client.ts";
import { cut } from "../base/safe-text.ts";
import { createStore } from "../base/store.ts";
import { type Folded, fold, mergeInto, nothingFolded, sharing } from "../transcript/rows.ts";

/** One run as the page follows it: a stretch of its history up to now. History before it is fetched when it is looked at. */
export interface View {
  /** Counts the drawings: what it shows is changed in place. */
  version: number;
  folded: Folded;
  detail: RunDetail | undefined;
  firstSeq: number;
  lastSeq: number;
  state: "loading" | "ready" | "failed";
  problem: string;
  loadingEarlier: boolean;
  /** The stream of this run is interrupted. */
  lost: boolean;
}

const FIRST_PAGE = 400;
const EARLIER_PAGE = 2000;
/** Text that comes in a stream is drawn this often at most: faster, nobody reads. */
const DRAW_MS = 50;
/** Kept while following the end. Beyond it the oldest goes; scrolling up fetches it again. */
const MOST_KEPT = 6000;

export class Conversation {
  readonly view = createStore<View>({
    version: 0,
    folded: nothingFolded(),
    detail: undefined,
    firstSeq: 1,
    lastSeq: 0,
    state: "loading",
    problem: "",
    loadingEarlier: false,
    lost: false,
  });
  readonly run: string;
  /** Asked before old rows are dropped: not while somebody reads them. */
  isAtEnd: () => boolean = () => true;
  #kept: RecordedEvent[] = [];
  #pending: RecordedEvent[] = [];
  #drawnAt = 0;
  #drawing = false;
  #earlier: Promise<void> = Promise.resolve();
  #stop = new AbortController();
  #listeners = new Set<(events: readonly RecordedEvent[]) => void>();

  constructor(run: string) {
    this.run = run;
  }

  onEvents(listener: (events: readonly RecordedEvent[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async open(): Promise<void> {
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    const params = { run: this.run };
    try {
      const [detail, page] = await Promise.all([
        server.call("GET /runs/{run}", { params }, { signal }),
        server.call("GET /runs/{run}/events", { params, query: { limit: FIRST_PAGE } }, { signal }),
      ]);
      this.#restart(page.events, detail);
      await this.#follow(signal);
    } catch (error) {
      if (!signal.aborted) this.#show({ state: "failed", problem: whyNot(error, this.run) });
    }
  }

  close(): void {
    this.#stop.abort();
  }

  async reloadDetail(): Promise<void> {
    const detail = await server.call("GET /runs/{run}", { params: { run: this.run } });
    this.#show({ detail });
  }

  /** One page more, or as many as it takes to have this event. One after another: each begins where the last one ended. */
  loadEarlier(until?: number): Promise<void> {
    if (until === undefined && this.view.get().loadingEarlier) return this.#earlier;
    this.#earlier = this.#earlier.then(() => this.#fetchEarlier(until));
    return this.#earlier;
  }

  async #fetchEarlier(until: number | undefined): Promise<void> {
    let first = this.view.get().firstSeq;
    const wanted = Math.max(until ?? first - 1, 1);
    if (first <= wanted) return;
    this.#show({ loadingEarlier: true });
    const pages: RecordedEvent[][] = [];
    try {
      while (first > wanted) {
        const query = { before: first, limit: until === undefined ? EARLIER_PAGE : 5000 };
        const page = await server.call("GET /runs/{run}/events", { params: { run: this.run }, query });
        if (page.events.length === 0) break;
        pages.unshift(page.events);
        first = page.events[0]?.seq ?? 1;
      }
      this.#prepend(pages.flat(), first);
    } catch {
      // The banner says that the server is away; scrolling again asks again.
    } finally {
      this.#show({ loadingEarlier: false });
    }
  }

  #restart(events: readonly RecordedEvent[], detail: RunDetail): void {
    const folded = nothingFolded();
    this.#kept = [];
    for (const event of events) this.#keep(event);
    for (const event of this.#kept) fold(folded, event);
    folded.transcript.state = stateNow(folded, detail, events.at(-1)?.seq ?? 0);
    if (folded.transcript.queue.length === 0) folded.transcript.queue = detail.queue;
    const firstSeq = events[0]?.seq ?? 1;
    const lastSeq = events.at(-1)?.seq ?? 0;
    this.#show({ folded, detail, firstSeq, lastSeq, state: "ready", problem: "", lost: false });
    this.#tell(events);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const after = this.view.get().lastSeq;
    const onState = (state: "open" | "waiting") => this.#show({ lost: state === "waiting" });
    const given = { params: { run: this.run }, query: { after } };
    const options = { signal, onState, lastEventId: String(after) };
    for await (const batch of followEvents(server, "GET /runs/{run}/stream", given, options)) {
      for (const { event, data } of batch) {
        if (event === "message" || event === this.run) this.#pending.push(JSON.parse(data) as RecordedEvent);
      }
      this.#drawSoon();
    }
    this.#draw();
    if (!signal.aborted) await this.reloadDetail().catch(() => {}); // the end of a run says how it ended; without it, less is shown
  }

  /** Once per frame, and not more often than one can read. */
  #drawSoon(): void {
    if (this.#drawing || this.#pending.length === 0) return;
    this.#drawing = true;
    const wait = this.#drawnAt + DRAW_MS - performance.now();
    // A hidden tab has no frames, but its title still counts.
    if (document.hidden) setTimeout(() => this.#draw(), 500);
    else if (wait > 0) setTimeout(() => requestAnimationFrame(() => this.#draw()), wait);
    else requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    this.#drawing = false;
    this.#drawnAt = performance.now();
    const { folded, lastSeq: last, firstSeq } = this.view.get();
    const events = this.#pending.filter(({ seq }) => seq > last);
    this.#pending = [];
    if (events.length === 0) return;
    for (const event of events) {
      this.#keep(event);
      fold(folded, event);
    }
    const shared = sharing(this.#kept.at(-1), folded.transcript.items.at(-1));
    if (shared !== undefined) this.#kept[this.#kept.length - 1] = shared;
    const lastSeq = events.at(-1)?.seq ?? last;
    if (this.#kept.length > MOST_KEPT && this.isAtEnd()) this.#dropOldest(lastSeq);
    else this.#show({ lastSeq, firstSeq });
    this.#tell(events);
  }

  #keep(event: RecordedEvent): void {
    const merged = mergeInto(this.#kept.at(-1), event);
    if (merged === undefined) this.#kept.push(event);
    else this.#kept[this.#kept.length - 1] = merged;
  }

  #prepend(events: readonly RecordedEvent[], firstSeq: number): void {
    const later = this.#kept;
    this.#kept = [];
    for (const event of events) this.#keep(event);
    for (const event of later) this.#keep(event);
    this.#show({ folded: this.#foldAgain(), firstSeq });
  }

  #dropOldest(lastSeq: number): void {
    this.#kept = this.#kept.slice(-MOST_KEPT / 2);
    this.#show({ folded: this.#foldAgain(), firstSeq: this.#kept[0]?.seq ?? 1, lastSeq });
  }

  /** Where the conversation stands does not depend on how much of it is here. */
  #foldAgain(): Folded {
    const before = this.view.get().folded;
    const folded = nothingFolded();
    for (const event of this.#kept) fold(folded, event);
    const { state, queue, context, plan, usage } = before.transcript;
    const used = usage.input + usage.output > folded.transcript.usage.input + folded.transcript.usage.output;
    Object.assign(folded.transcript, {
      state,
      queue,
      context,
      plan: plan ?? folded.transcript.plan,
      usage: used ? usage : folded.transcript.usage,
    });
    folded.latest = { ...folded.latest, ...before.latest };
    return folded;
  }

  #show(change: Partial<View>): void {
    const now = this.view.get();
    this.view.set({ ...now, ...change, version: now.version + 1 });
  }

  #tell(events: readonly RecordedEvent[]): void {
    for (const listener of this.#listeners) listener(events);
  }
}

/** An address that somebody typed, or cut short, names no run. */
const whyNot = (error: unknown, run: string): string =>
  error instanceof AppError && error.code === "http.invalid" ? `There is no run ${cut(run, 80)}.` : problemText(error);

/** A page from the middle doesn't say in which state it began; the server knows where it ended. */
function stateNow({ transcript, latest }: Folded, detail: RunDetail, lastSeq: number): SessionState {
  const { state } = transcript;
  const known = detail.open_requests.flatMap(({ request }): [string, OpenRequest][] =>
    request.type === "permission_request" || request.type === "question_request" ? [[request.pendingId, request]] : [],
  );
  const requests = new Map([...known, ...state.requests]);
  const { phase } = detail;
  if (phaseOf(state) === phase || lastSeq > detail.last_seq) return { ...state, requests };
  const life = phase === "starting" || phase === "closed" ? phase : "open";
  const turn = phase === "working" || phase === "waiting" ? latest.turn : undefined;
  return { life, prompted: false, turn, requests };
}

export interface Figures {
  input: number;
  output: number;
  costUsd: number;
  context: ContextWindow | undefined;
}

/** The record is final when the run is; until then what its turns here reported counts, where that is more. */
export function figuresOf({ detail, folded: { transcript } }: View): Figures {
  const { usage } = transcript;
  const recorded = { input: detail?.input_tokens ?? 0, output: detail?.output_tokens ?? 0 };
  const known = detail?.context;
  return {
    input: Math.max(recorded.input, usage.input),
    output: Math.max(recorded.output, usage.output),
    costUsd: Math.max(detail?.end?.cost_usd ?? 0, usage.costUsd ?? 0),
    context: transcript.context ?? (known && contextWindow(known)),
  };
}
