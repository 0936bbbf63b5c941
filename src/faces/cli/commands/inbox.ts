import { messageOf } from "../../../contract/errors.ts";
import { formatAge } from "../../../contract/words/figures.ts";
import { type AskedRequest, allOpenRequests } from "../../../core/runs/open-requests.ts";
import { Blobs } from "../../../core/store/blobs.ts";
import { homeAt, homePath } from "../../../core/store/home.ts";
import { runPaths } from "../../../core/store/runs/run-directory.ts";
import { readRunInfo } from "../../../core/store/runs/run-info.ts";
import { heal } from "../../../core/tasks/heal.ts";
import { fit } from "../../../lib/command/columns.ts";
import { command } from "../../../lib/command/command.ts";
import { type Page, paintFor } from "../../../lib/command/paint.ts";
import { oneLine, printableJson, revealedLine } from "../../../lib/text/printable.ts";
import { answerCommands, renderAsk } from "../view/lines/request-lines.ts";

export default command({
  name: "inbox",
  summary: "Show what agents wait for, the longest waiting first, and how to answer.",
  usage: "cox inbox [--all] [--json]",
  words: [0, 0],
  options: {
    all: { help: "show all of what is asked, however long" },
    json: { help: "print the requests as JSON lines" },
  },
  async run({ values }, context) {
    const { stdout, stderr, env, clock } = context;
    const home = homeAt(homePath(env));
    await heal(home, clock);
    const asked = allOpenRequests(home);
    if (values.json) {
      for (const one of asked) stdout.write(`${printableJson(recordOf(one))}\n`);
      return 0;
    }
    if (asked.length === 0) stderr.write("nobody waits for you\n");
    const page = { width: stdout.columns || 120, paint: paintFor(context) };
    stdout.write(asked.map((one) => `${render(one, clock.now(), page, values.all === true).join("\n")}\n`).join("\n"));
    return 0;
  },
});

function render({ runId, dir, request }: AskedRequest, now: number, page: Page, all: boolean): string[] {
  const { agent, cwd } = infoOf(dir);
  const age = formatAge(now - Date.parse(request.at));
  const head = fit(`${oneLine(agent)} in ${revealedLine(cwd)}, run ${runId}, waiting ${age}`, page.width);
  if (!all) return [page.paint.bold(head), ...renderAsk(request, { runId, cwd }, page)];
  try {
    const blobs = new Blobs(runPaths(dir).blobs);
    return [page.paint.bold(head), ...renderAsk(request, { runId, cwd }, page, { read: (body) => blobs.text(body) })];
  } catch (error) {
    // The others can still be read, and this one denied.
    const why = page.paint.red(`  not all of it can be shown: ${oneLine(messageOf(error))}`);
    return [page.paint.bold(head), ...renderAsk(request, { runId, cwd }, page), why];
  }
}

function recordOf({ runId, dir, request }: AskedRequest) {
  const { agent, cwd } = infoOf(dir);
  const { seq: _, ...rest } = request;
  return {
    request: `${runId}/${request.pendingId}`,
    run_id: runId,
    agent,
    cwd,
    ...rest,
    answer: answerCommands(request, { runId, cwd }),
  };
}

/** The request counts, even when the run's own record can't be read. */
function infoOf(dir: string): { agent: string; cwd: string } {
  return readRunInfo(runPaths(dir).info) ?? { agent: "?", cwd: "?" };
}
