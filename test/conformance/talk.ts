import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseRunInfo } from "../../src/contract/runs/run.ts";
import { expectSound } from "../support/transcript.ts";
import { Conversation } from "./conversation.ts";
import type { Subject, Wishes } from "./subject.ts";

/** A conversation that is over when the behaviour is, whatever happened. */
export async function talk(subject: Subject, wishes: Wishes, act: (talk: Conversation) => Promise<void>) {
  const conversation = new Conversation(await subject.spec(wishes));
  try {
    await act(conversation);
  } finally {
    await conversation.stop();
  }
  expectSound(conversation.events);
  return conversation;
}

export const infoOf = (conversation: Conversation) => parseRunInfo(readFileSync(conversation.run.paths.info, "utf8"));

/** Whether the workspace has this file. */
export const exists = (conversation: Conversation, file: string) =>
  existsSync(join(infoOf(conversation)?.cwd ?? "", file));

export function required(prompt: string | undefined): string {
  if (prompt === undefined) throw new Error("no prompt makes it do this");
  return prompt;
}
