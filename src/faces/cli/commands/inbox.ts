import { messageOf } from "../../../contract/errors.ts";
import { requestName, runName } from "../../../contract/ids.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import { formatAge } from "../../../contract/words/figures.ts";
import { type AskedRequest, allOpenRequests } from "../../../core/runs/open-requests.ts";
import { Blobs } from "../../../core/store/blobs.ts";
import { homeAt, homePath, openHome } from "../../../core/store/home.ts";
import { runPaths } from "../../../core/store/runs/run-directory.ts";
import { readRunInfo } from "../../../core/store/runs/run-info.ts";
import { heal } from "../../../core/tasks/heal.ts";
import { fit } from "../../../lib/command/columns.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { type Page, paintFor } from "../../../lib/command/paint.ts";
import { oneLine, printableJson, revealedLine } from "../../../lib/text/printable.ts";
import { refuseInsideRun } from "../run-socket.ts";
import { sayNotHealed } from "../told-aside.ts";
import { answerCommands, renderAsk } from "../view/lines/request-lines.ts";
import { requireTerminal } from "../view/terminal/full-screen.ts";

export default command({
  name: "inbox",
  summary: "Show what agents wait for, the longest waiting first, and how to answer.",
  usage: "cox inbox [-i] [--all] [--json]",
  words: [0, 0],
  options: {
    interactive: { short: "i", help: "answer them here, one after the other, as they come" },
    all: { help: "show all of what is asked, however long" },
    json: { help: "print the requests as JSON lines" },
  },
  examples: [
    "cox inbox -i       a/A/d answer, ? shows the keys",
    "cox inbox --all    what is long is shown whole, too",
  ],
  async run({ values }, context) {
    if (values.interactive) return answerHere(context);
    const { stdout, stderr, env, clock } = context;
    const home = homeAt(homePath(env));
    await heal(home, clock, sayNotHealed(context));
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

async function answerHere(context: Context): Promise<number> {
  refuseInsideRun("cox inbox -i", context.env);
  requireTerminal(context, "cox inbox -i", "`cox inbox` lists what waits, and how to answer");
  const home = openHome(homePath(context.env));
  const [{ showInbox }, { readConfig }] = await Promise.all([
    import("../inbox/inbox-screen.ts"),
    import("../../../core/config/config-file.ts"),
  ]);
  return showInbox(home, context, (await readConfig(home.root)).color);
}

function render({ runId, dir, request }: AskedRequest, now: number, page: Page, all: boolean): string[] {
  const asker = infoOf(runId, dir);
  const { agent, cwd } = asker;
  const age = formatAge(now - Date.parse(request.at));
  const head = fit(`${oneLine(agent)} in ${revealedLine(cwd)}, run ${runName(asker)}, waiting ${age}`, page.width);
  if (!all) return [page.paint.bold(head), ...renderAsk(request, asker, page)];
  try {
    const blobs = new Blobs(runPaths(dir).blobs);
    return [page.paint.bold(head), ...renderAsk(request, asker, page, { read: (body) => blobs.text(body) })];
  } catch (error) {
    // The others can still be read, and this one denied.
    const why = page.paint.red(`  not all of it can be shown: ${oneLine(messageOf(error))}`);
    return [page.paint.bold(head), ...renderAsk(request, asker, page), why];
  }
}

function recordOf({ runId, dir, request }: AskedRequest) {
  const asker = infoOf(runId, dir);
  const { agent, cwd, handle } = asker;
  const { seq: _, ...rest } = request;
  return {
    request: requestName(asker, request.pendingId),
    run_id: runId,
    handle,
    agent,
    cwd,
    ...rest,
    answer: answerCommands(request, asker),
  };
}

/** The request counts, even when the run's own record can't be read. */
function infoOf(runId: string, dir: string): Pick<RunInfo, "run_id" | "handle" | "agent" | "cwd"> {
  return readRunInfo(runPaths(dir).info) ?? { run_id: runId, handle: 0, agent: "?", cwd: "?" };
}
