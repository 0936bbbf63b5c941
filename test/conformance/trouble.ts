import { expect } from "vitest";
import type { ErrorCategory } from "../../src/contract/events.ts";
import type { Behaviour } from "./behaviours.ts";
import { Conversation } from "./conversation.ts";
import type { Wishes } from "./subject.ts";

/** What goes wrong between an agent and its model: each is one clear error, of the right kind, in bounded time. */
function trouble(wishes: Wishes, categories: readonly ErrorCategory[]): Behaviour {
  return async (subject) => {
    const conversation = new Conversation(await subject.spec(wishes));
    try {
      const text = subject.say.trouble?.(wishes) ?? subject.say.hello;
      await conversation.prompt(text).catch(() => {}); // an agent may refuse to open at all
      const error = await conversation.next("error");
      expect(categories).toContain(error.category);
      expect(error.message).not.toBe("");
      const end = await Promise.race([conversation.next("complete"), conversation.run.ended]);
      expect("outcome" in end ? end.outcome : end.status).toBe("failed");
      await conversation.stop();
      expect(conversation.events.filter((event) => event.type === "complete").length).toBeLessThanOrEqual(1);
    } finally {
      await conversation.stop();
    }
  };
}

export const troubles: Readonly<Record<string, Behaviour>> = {
  "wrong key": trouble({ key: "wrong" }, ["auth"]),
  "unknown model": trouble({ model: "bad-model" }, ["model"]),
  "HTTP 500": trouble({ server: 500 }, ["server"]),
  "server down": trouble({ server: "down" }, ["network", "server"]),
  silence: trouble({ server: "silent" }, ["network", "server"]),
};
