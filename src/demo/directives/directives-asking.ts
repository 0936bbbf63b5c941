import { askPermission, askQuestion } from "../asking.ts";
import { Cancelled, newId, type Turn } from "../turn.ts";
import { numberAt } from "../words.ts";
import type { Directive } from "./directives.ts";

export const asking: Record<string, Directive> = {
  permission: (turn, title) => ask(turn, title || "Do it"),
  permissions: async (turn, rest) => {
    const titles = Array.from({ length: numberAt(0, rest) }, (_, index) => `Do number ${index + 1}`);
    await Promise.all(titles.map((title) => ask(turn, title)));
  },
  question: async (turn, rest) => {
    const [text = "", ...choices] = rest.split("|").map((part) => part.trim());
    const answered = await askQuestion(turn, text, choices);
    await turn.say(`answer: ${answered.answer ?? answered.because}`);
  },
};

/** A tool call whose only point is the permission. */
async function ask(turn: Turn, title: string): Promise<void> {
  const toolCallId = newId("call");
  const call = { toolCallId, title, name: "ask", kind: "other", status: "pending", rawInput: { title } } as const;
  const end = (status: "completed" | "failed", chosen: string) =>
    turn.update({ sessionUpdate: "tool_call_update", toolCallId, status, rawOutput: chosen });
  await turn.update({ sessionUpdate: "tool_call", ...call });
  try {
    const chosen = await askPermission(turn, call);
    await end(chosen === "reject-once" ? "failed" : "completed", chosen);
    await turn.say(`permission ${title}: ${chosen}\n`);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    await end("failed", "cancelled");
    await turn.say(`permission ${title}: cancelled\n`);
    throw error;
  }
}
