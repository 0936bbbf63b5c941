import type { Content, RecordedEvent } from "../../../../src/contract/events.ts";
import { problemText, server } from "../../api/client.ts";
import { newId } from "../../base/id.ts";
import { storage } from "../../base/storage.ts";
import { createStore, type Store } from "../../base/store.ts";
import { address, go } from "../../router.tsx";

/** A prompt on its way: kept, through reloads too, until the run's own log shows it. */
export interface SentPrompt {
  promptId: string;
  content: Content[];
  delivery: "queue" | "steer";
  state: "sending" | "failed";
  problem: string;
}

const name = (run: string) => `sent.${run}`;

export class Prompts {
  readonly sent: Store<readonly SentPrompt[]>;
  readonly #run: string;

  constructor(run: string) {
    this.#run = run;
    const before = storage.read<SentPrompt[]>(name(run), []);
    // What was under way when the page was left may have arrived: its id makes sending it again harmless.
    this.sent = createStore<readonly SentPrompt[]>(before);
    for (const prompt of before) if (prompt.state === "sending") void this.#post(prompt);
  }

  send(content: Content[], delivery: "queue" | "steer"): void {
    const prompt: SentPrompt = { promptId: newId(), content, delivery, state: "sending", problem: "" };
    this.#set([...this.sent.get(), prompt]);
    void this.#post(prompt);
  }

  again(promptId: string): void {
    const prompt = this.sent.get().find((each) => each.promptId === promptId);
    if (prompt === undefined) return;
    this.#change({ ...prompt, state: "sending", problem: "" });
    void this.#post(prompt);
  }

  drop(promptId: string): void {
    this.#set(this.sent.get().filter((prompt) => prompt.promptId !== promptId));
  }

  /** What the log shows has arrived. */
  seen(events: readonly RecordedEvent[]): void {
    if (this.sent.get().length === 0) return;
    const arrived = new Set<string>();
    for (const event of events) {
      if (event.type === "user_message") arrived.add(event.promptId);
      if (event.type === "prompt_queue") for (const { promptId } of event.prompts) arrived.add(promptId);
    }
    if (arrived.size > 0) this.#set(this.sent.get().filter(({ promptId }) => !arrived.has(promptId)));
  }

  async #post({ promptId, content, delivery }: SentPrompt): Promise<void> {
    try {
      const reply = await server.call(
        "POST /runs/{run}/prompts",
        { params: { run: this.#run }, body: { content, delivery, prompt_id: promptId } },
        { headers: { "idempotency-key": promptId } },
      );
      // A closed session goes on in a new run, which has the prompt already.
      if (reply.run_id !== this.#run) {
        this.drop(promptId);
        go(address("runs", reply.run_id));
      }
    } catch (error) {
      const prompt = this.sent.get().find((each) => each.promptId === promptId);
      if (prompt !== undefined) this.#change({ ...prompt, state: "failed", problem: problemText(error) });
    }
  }

  #change(next: SentPrompt): void {
    this.#set(this.sent.get().map((prompt) => (prompt.promptId === next.promptId ? next : prompt)));
  }

  #set(next: readonly SentPrompt[]): void {
    this.sent.set(next);
    storage.write(name(this.#run), next.length === 0 ? undefined : next);
  }
}
