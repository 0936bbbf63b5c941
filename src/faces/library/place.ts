import type { Content, RecordedEvent } from "../../contract/events.ts";
import type { Reply } from "../../contract/requests/reply.ts";
import type { RunRecord } from "../../contract/runs/record.ts";
import type { RunStatus, RunSummary } from "../../contract/runs/run.ts";
import type { OpenRequest } from "../../contract/sessions/transcript.ts";
import type { Start } from "./start-options.ts";

/** Where runs are: this machine, or a server. Both can do the same, so whoever uses the library needn't know which it is. */
export interface Place {
  /** The new run's id. */
  start(options: Start): Promise<string>;
  info(run: string): Promise<RunRecord>;
  list(wanted: Wanted): Promise<RunSummary[]>;
  /** Its events after that one, in batches, until its log is closed or the signal aborts. */
  follow(run: string, after: number, signal: AbortSignal): AsyncIterable<readonly RecordedEvent[]>;
  /** Its final record, once it has ended. An aborted signal's reason is thrown. */
  ended(run: string, signal: AbortSignal): Promise<RunRecord>;
  /** Seq of its last event; 0 before the first. */
  lastSeq(run: string): Promise<number>;
  requests(run: string): Promise<OpenRequest[]>;
  /** The run that has it: another one, where this one has ended. */
  prompt(run: string, prompt: Prompt): Promise<string>;
  answer(run: string, pendingId: string, reply: Reply): Promise<void>;
  interrupt(run: string): Promise<void>;
  setOption(run: string, id: string, value: string | boolean): Promise<void>;
  stop(run: string): Promise<void>;
  /** The new run's id. */
  fork(run: string, content: readonly Content[], turn: string | undefined): Promise<string>;
}

export interface Prompt {
  promptId: string;
  content: readonly Content[];
  delivery: "queue" | "steer";
}

/** Which runs to list. */
export interface Wanted {
  project?: string;
  task?: string;
  agent?: string;
  status?: RunStatus;
  /** How many, the newest first; 50. */
  limit?: number;
}

const LIST_LIMIT = 50;

type PageWishes = Omit<Wanted, "limit"> & { limit: number; cursor?: string };

/** Page after page, until there are as many as were wanted. */
export async function pagesOf(
  { limit = LIST_LIMIT, ...wanted }: Wanted,
  pageOf: (wishes: PageWishes) => Promise<{ items: readonly RunSummary[]; next?: string }>,
): Promise<RunSummary[]> {
  const found: RunSummary[] = [];
  let cursor: string | undefined;
  while (found.length < limit) {
    const { items, next } = await pageOf({ ...wanted, limit: limit - found.length, cursor });
    found.push(...items);
    cursor = next;
    if (cursor === undefined) break;
  }
  return found;
}
