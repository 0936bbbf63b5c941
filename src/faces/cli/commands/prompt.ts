import { text } from "node:stream/consumers";
import { AppError } from "../../../contract/errors.ts";
import { plural } from "../../../contract/words/figures.ts";
import { openRun, tellRun } from "../../../core/runs/run-access.ts";
import { eventsBackward } from "../../../core/store/events/event-reader.ts";
import { randomUUID } from "../../../lib/base/crypto.ts";
import { type Context, command } from "../../../lib/command/command.ts";

export default command({
  name: "prompt",
  summary: "Give a live run its next prompt; while it works, the prompt waits its turn.",
  usage: "cox prompt RUN TEXT...|-",
  words: [2, Number.POSITIVE_INFINITY],
  options: {},
  examples: ['cox prompt latest "now the tests"', "cox prompt latest - < next.md"],
  async run({ positionals }, context) {
    const [name = "", ...words] = positionals;
    const named = await openRun(context, name);
    const prompt = await promptFrom(words, context);
    const promptId = randomUUID();
    const content = [{ type: "text" as const, text: prompt }];
    await tellRun(named, { type: "prompt", promptId, content, delivery: "queue" }, context);
    context.stdout.write(`${whatBecame(named.run.paths.events, promptId)}\n`);
    return 0;
  },
});

async function promptFrom(words: readonly string[], { stdin }: Context): Promise<string> {
  const prompt = words.length === 1 && words[0] === "-" ? await text(stdin) : words.join(" ");
  if (prompt.trim() !== "") return prompt;
  throw new AppError("usage.invalid", "cox prompt: the prompt is empty");
}

/** The host answers when the log knows it, so the log says what became of it. */
function whatBecame(eventsPath: string, promptId: string): string {
  for (const event of eventsBackward(eventsPath)) {
    if (event.type === "user_message" && event.promptId === promptId) return "started";
    if (event.type !== "prompt_queue") continue;
    const place = event.prompts.findIndex((prompt) => prompt.promptId === promptId);
    if (place !== -1) return place === 0 ? "queued; it is next" : `queued, behind ${plural(place, "other prompt")}`;
  }
  return "sent";
}
