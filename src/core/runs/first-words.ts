import type { RunSummary } from "../../contract/runs/run.ts";
import { textOf } from "../../contract/words/content.ts";
import { printable } from "../../lib/text/printable.ts";
import { readEvents } from "../store/events/event-reader.ts";
import { type Home, runFolder } from "../store/home.ts";
import { runPaths } from "../store/runs/run-directory.ts";

/** What a conversation began with. It is listed before anybody has said anything, so its record has no title. */
export function firstWords(
  home: Home,
  { project, task, run_id }: Pick<RunSummary, "project" | "task" | "run_id">,
): string {
  for (const events of readEvents(runPaths(runFolder(home, project, task, run_id)).events)) {
    const prompt = events.find((event) => event.type === "user_message");
    if (prompt !== undefined) return printable(textOf(prompt.content)).trim().split("\n", 1)[0] ?? "";
  }
  return "";
}
