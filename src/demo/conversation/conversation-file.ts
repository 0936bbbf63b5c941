import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomic } from "../../lib/files/atomic-file.ts";
import { textIfThere } from "../text-file.ts";
import { Entry } from "./history.ts";
import { initialSettings, models, modes } from "./settings.ts";

/** What another process needs to go on with a conversation: one small file each. */
const Conversation = z.object({
  sessionId: z.string(),
  mode: z.enum(modes.map(({ id }) => id)).catch(initialSettings.mode),
  model: z.enum(models.map(({ id }) => id)).catch(initialSettings.model),
  entries: z.array(Entry),
});
export type Conversation = z.infer<typeof Conversation>;

export class ConversationFiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  save(conversation: Conversation): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    writeFileAtomic(this.#path(conversation.sessionId), `${JSON.stringify(conversation)}\n`);
  }

  /** Nothing when there is no such conversation; a damaged file throws. */
  load(sessionId: string): Conversation | undefined {
    // The id comes from the client: it must not lead out of the directory.
    if (!/^[\w-]+$/.test(sessionId)) return undefined;
    const text = textIfThere(this.#path(sessionId));
    return text === null ? undefined : Conversation.parse(JSON.parse(text));
  }

  #path(sessionId: string): string {
    return join(this.#directory, `${sessionId}.json`);
  }
}

export function homeOf(env: NodeJS.ProcessEnv): string {
  return env.DEMO_HOME || join(env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "coxswain-demo");
}
