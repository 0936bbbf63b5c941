import { recordOf } from "../../../cluster/tasks/task-record.ts";
import type { RecordedEvent } from "../../../contract/events.ts";
import { isFinalPhase, type Task } from "../../../contract/resources/task.ts";
import { renderClosing } from "../../../faces/cli/view/lines/closing-line.ts";
import { PlainPaper } from "../../../faces/cli/view/lines/plain-paper.ts";
import { Scroll } from "../../../faces/cli/view/lines/scroll.ts";
import type { Context } from "../../../lib/command/command.ts";
import { plainPaint } from "../../../lib/command/paint.ts";
import { writeAll } from "../../../lib/command/write-all.ts";

/** A Task's transcript on paper, as `cox logs` prints a run's. */
export async function printLog(
  batches: AsyncIterable<readonly RecordedEvent[]>,
  task: Task,
  { stdout, env }: Context,
): Promise<void> {
  const page = { width: stdout.columns || 120, paint: plainPaint(env) };
  let text = "";
  const paper = new PlainPaper((part) => {
    text += part;
  });
  const scroll = new Scroll(paper, { thinking: true, render: false });
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
