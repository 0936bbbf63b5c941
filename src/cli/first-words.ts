import type { RunSummary } from "../contract/run.ts";
import { type Home, runFolder } from "../store/home.ts";
import { runPaths } from "../store/run-directory.ts";
import { readEvents } from "./event-file.ts";
import { textOfContent } from "./view/event-lines.ts";

/** What a conversation began with. It is listed before anybody has said anything, so its record has no title. */
export function firstWords(home: Home, { project, task, run_id }: RunSummary): string {
  for (const events of readEvents(runPaths(runFolder(home, project, task, run_id)).events)) {
    const prompt = events.find((event) => event.type === "user_message");
    if (prompt !== undefined) return textOfContent(prompt.content).split("\n", 1)[0] ?? "";
  }
  return "";
}
