import type { NewRun } from "../../src/contract/api/runs.ts";
import type { EventOf, RecordedEvent } from "../../src/contract/events.ts";
import { followEvents } from "../../src/lib/client/event-stream.ts";
import type { HttpClient } from "../../src/lib/client/http.ts";

export const text = (words: string) => [{ type: "text" as const, text: words }];

/** A conversation over HTTP, as a page has it: it sees what the stream says, and asks through the API. */
export class Conversation {
  readonly events: RecordedEvent[] = [];
  readonly run: string;
  readonly #client: HttpClient;
  readonly #leaving = new AbortController();
  readonly #over: Promise<void>;
  #wake: () => void = () => {};

  constructor(client: HttpClient, run: string) {
    this.#client = client;
    this.run = run;
    this.#over = this.#follow();
  }

  static async start(client: HttpClient, wishes: Omit<NewRun, "prompt"> & { prompt: string }): Promise<Conversation> {
    const { run_id } = await client.call("POST /runs", { body: { ...wishes, prompt: text(wishes.prompt) } });
    return new Conversation(client, run_id);
  }

  /** The first event, at or after that place, of which this is true. */
  async until<T extends RecordedEvent>(is: (event: RecordedEvent) => event is T, from?: number): Promise<T>;
  async until(is: (event: RecordedEvent) => boolean, from?: number): Promise<RecordedEvent>;
  async until(is: (event: RecordedEvent) => boolean, from = 0): Promise<RecordedEvent> {
    for (;;) {
      const found = this.events.find((event, index) => index >= from && is(event));
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async untilType<T extends RecordedEvent["type"]>(type: T, from = 0): Promise<RecordedEvent & EventOf<T>> {
    return (await this.until((event) => event.type === type, from)) as RecordedEvent & EventOf<T>;
  }

  /** The end of the turn that the prompt begins. */
  async turn(words: string): Promise<RecordedEvent & EventOf<"complete">> {
    const from = this.events.length;
    await this.prompt(words);
    return this.untilType("complete", from);
  }

  prompt(words: string, more: { delivery?: "queue" | "steer"; prompt_id?: string } = {}) {
    const params = { run: this.run };
    return this.#client.call("POST /runs/{run}/prompts", { params, body: { content: text(words), ...more } });
  }

  answer(pending: string, optionId: string, remember?: "allow" | "deny") {
    const params = { run: this.run, pending };
    const body = { answer: { optionId }, ...(remember === undefined ? {} : { remember }) };
    return this.#client.call("POST /runs/{run}/requests/{pending}", { params, body });
  }

  detail() {
    return this.#client.call("GET /runs/{run}", { params: { run: this.run } });
  }

  async stop(): Promise<void> {
    await this.#client.call("POST /runs/{run}/stop", { params: { run: this.run }, body: {} });
    await this.ended();
  }

  /** All of its log, once it is closed and its record is final. */
  async ended(): Promise<RecordedEvent[]> {
    await this.#over;
    while ((await this.detail()).end === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
    return this.events;
  }

  leave(): void {
    this.#leaving.abort();
  }

  said(from = 0): string {
    const chunks = this.events.slice(from).flatMap((event) => (event.type === "message_chunk" ? [event.text] : []));
    return chunks.join("");
  }

  async #follow(): Promise<void> {
    const given = { params: { run: this.run } };
    const options = { signal: this.#leaving.signal };
    for await (const batch of followEvents(this.#client, "GET /runs/{run}/stream", given, options)) {
      for (const { event, data } of batch) if (event === "message") this.events.push(JSON.parse(data));
      this.#wake();
    }
  }
}
