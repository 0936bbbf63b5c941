import { ToolConversation } from "./conversation.ts";
import type { ToolDoor } from "./door.ts";
import type { AgentCalls } from "./perform.ts";

/** The ways to a run's own tools that need no program: for as long as the run lasts. */
export class ToolHost {
  readonly #calls: () => AgentCalls;
  #door: Promise<ToolDoor> | undefined;

  /** They are asked for later, when there is a run that they are about. */
  constructor(calls: () => AgentCalls) {
    this.#calls = calls;
  }

  connect(): ToolConversation {
    return new ToolConversation(this.#calls());
  }

  /** Nobody listens before the first who needs it. */
  async http(): Promise<{ url: string; headers: Record<string, string> }> {
    this.#door ??= import("./door.ts").then(({ openToolDoor }) => openToolDoor(this.#calls()));
    const { url, token } = await this.#door;
    return { url, headers: { Authorization: `Bearer ${token}` } };
  }

  close(): void {
    this.#door?.then(
      (door) => door.close(),
      () => {}, // whoever asked for it was told
    );
  }
}
