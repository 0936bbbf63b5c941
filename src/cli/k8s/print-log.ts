import type { RecordedEvent } from "../../contract/events.ts";
import { isFinalPhase, type Task } from "../../contract/resources/task.ts";
import type { Context } from "../command.ts";
import { renderClosing } from "../view/closing-line.ts";
import { noColours } from "../view/paint.ts";
import { PlainPaper } from "../view/plain-paper.ts";
import { Scroll } from "../view/scroll.ts";
import { writeAll } from "../write-all.ts";
import { recordOf } from "./task-record.ts";

/** A Task's transcript on paper, as `cox logs` prints a run's. */
export async function printLog(
  batches: AsyncIterable<readonly RecordedEvent[]>,
  task: Task,
  { stdout }: Context,
): Promise<void> {
  const page = { width: stdout.columns || 120, paint: noColours };
  let text = "";
  const paper = new PlainPaper((part) => {
    text += part;
  });
  const scroll = new Scroll(paper, true);
  let turns = 0;
  async function* pages(): AsyncGenerator<string> {
    for await (const events of batches) {
      for (const event of events) scroll.add(event, page);
      turns += events.filter((event) => event.type === "complete").length;
      yield text;
      text = "";
    }
    paper.gap();
    if (isFinalPhase(task.status?.phase)) paper.lines(renderClosing(recordOf(task, turns), page));
    yield text;
  }
  await writeAll(stdout, pages());
}
