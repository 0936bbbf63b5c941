import type { RunSummary } from "../../contract/runs/run.ts";
import { readEvents } from "../../core/store/events/event-reader.ts";
import { type Home, runFolder } from "../../core/store/home.ts";
import { runPaths } from "../../core/store/runs/run-directory.ts";
import { textOfContent } from "./view/lines/event-lines.ts";

/** What a conversation began with. It is listed before anybody has said anything, so its record has no title. */
export function firstWords(home: Home, { project, task, run_id }: RunSummary): string {
  for (const events of readEvents(runPaths(runFolder(home, project, task, run_id)).events)) {
    const prompt = events.find((event) => event.type === "user_message");
    if (prompt !== undefined) return textOfContent(prompt.content).split("\n", 1)[0] ?? "";
  }
  return "";
}
