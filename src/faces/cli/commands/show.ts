import { statSync } from "node:fs";
import { basename } from "node:path";
import { runName } from "../../../contract/ids.ts";
import type { RunRecord } from "../../../contract/runs/record.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import { type ContextWindow, contextWindow } from "../../../contract/sessions/transcript.ts";
import {
  formatAge,
  formatBytes,
  formatCost,
  formatCount,
  formatDuration,
  plural,
} from "../../../contract/words/figures.ts";
import { openRequestsIn } from "../../../core/runs/open-requests.ts";
import { type NamedRun, openRun } from "../../../core/runs/run-access.ts";
import { readRecord } from "../../../core/runs/run-record.ts";
import { readEvents } from "../../../core/store/events/event-reader.ts";
import type { RecordedRequest } from "../../../core/store/events/recent-state.ts";
import { nameOfRun } from "../../../core/store/runs/find-run.ts";
import type { RunPaths } from "../../../core/store/runs/run-directory.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { type Page, paintFor } from "../../../lib/command/paint.ts";
import { renderTable, renderWrapped } from "../../../lib/command/table.ts";
import { oneLine, printableJson } from "../../../lib/text/printable.ts";
import { sayPassedOver } from "../told-aside.ts";
import { renderClosing } from "../view/lines/closing-line.ts";
import { PlainPaper } from "../view/lines/plain-paper.ts";
import { answerCommands, renderAsk } from "../view/lines/request-lines.ts";
import { Scroll } from "../view/lines/scroll.ts";

const LAST_LINES = 10;

export default command({
  name: "show",
  summary: "Show all that is known of a run.",
  usage: "cox show RUN [--json]",
  examples: ["cox show latest"],
  words: [1, 1],
  options: { json: { help: "print it as one JSON object" } },
  async run({ values, positionals }, context) {
    const named = await openRun(context, positionals[0] ?? "");
    const { home, run } = named;
    sayPassedOver(context, home);
    const record = readRecord(home, run);
    const facts: Facts = {
      record,
      requests: record.end === undefined ? openRequestsIn(run.paths.events) : [],
      files: filesOf(run.paths),
      context: contextOf(run.paths),
    };
    context.stdout.write(values.json ? `${printableJson(toldOf(named, facts))}\n` : render(named, facts, context));
    return 0;
  },
});

interface Facts {
  record: RunRecord;
  requests: RecordedRequest[];
  files: { path: string; bytes: number }[];
  context: ContextWindow | undefined;
}

function toldOf({ info, run }: NamedRun, { record, requests, files, context }: Facts) {
  const open = requests.map((request) => ({ ...request, answer: answerCommands(request, info) }));
  return { ...record, dir: run.paths.dir, requests: open, files, context: context ?? null };
}

function render(named: NamedRun, facts: Facts, context: Context): string {
  const { columns } = context.stdout;
  const page = { width: columns || 120, paint: paintFor(context) };
  const rows = rowsOf(named, facts, context.clock.now()).map(([name, text]) => [name, oneLine(text)]);
  const parts = [
    renderWrapped(rows, columns).split("\n"),
    renderTable(facts.files.map(({ path, bytes }) => [`  ${basename(path)}`, formatBytes(bytes)])).split("\n"),
    ...facts.requests.map((request) => [...renderAsk(request, named.info, page), ""]),
    lastLines(named, page),
  ];
  return `${parts.flat().join("\n").trimEnd()}\n`;
}

function rowsOf({ home, info, run }: NamedRun, { record, context }: Facts, now: number): [string, string][] {
  const rows: [string, string][] = [
    ["run", runName(info)],
    ["id", info.run_id],
    ["state", stateOf(info, record.state)],
    ["title", record.title],
    ["agent", `${info.agent}${info.agent_version && ` ${info.agent_version}`}${info.model && `, model ${info.model}`}`],
    ["profile", info.profile],
    ["task", `${info.project_id}/${info.task_id}`],
    ["folder", info.cwd],
    ["lives", info.on === "local" ? "" : `in a ${info.on}${info.network === "off" ? ", without network" : ""}`],
    ["started", `${info.start_time}, ${formatAge(now - Date.parse(info.start_time))} ago`],
    ["took", took(info, now)],
    ["usage", usageOf(info)],
    ["context", context === undefined ? "" : contextText(context)],
    ["error", info.error_summary],
    ["session", info.session_id],
    ["parent", info.parent_run_id && nameOfRun(home, info.parent_run_id)],
    ["previous", info.previous_run_id && nameOfRun(home, info.previous_run_id)],
    ["branch", [info.branch, info.base_branch && `from ${info.base_branch}`, info.commit].filter(Boolean).join(" ")],
    ["changes", info.diff_stat],
    ["command", info.commandline],
    ["process", info.pid > 0 && info.status === "running" ? `${info.pid}, host ${info.host_pid}` : ""],
    ["directory", run.paths.dir],
  ];
  return rows.filter(([, text]) => text !== "");
}

function stateOf(info: RunInfo, state: string): string {
  if (state === "waiting") return "waiting for you";
  const why = [info.reason, info.category].filter(Boolean).join(", ");
  return info.status === "failed"
    ? `failed${why && ` (${why})`}, exit code ${info.exit_code}`
    : `${state}, ${info.mode}`;
}

function took(info: RunInfo, now: number): string {
  const end = info.end_time === "" ? now : Date.parse(info.end_time);
  return `${formatDuration(end - Date.parse(info.start_time))}${info.end_time === "" ? " so far" : ""}`;
}

function usageOf(info: RunInfo): string {
  const tokens = `${formatCount(info.input_tokens)} tokens in, ${formatCount(info.output_tokens)} out`;
  return [plural(info.turns, "turn"), tokens, formatCost(info.cost_usd)].filter(Boolean).join(", ");
}

function contextText({ used, size, remaining, efficiency, sizeFrom }: ContextWindow): string {
  const share = `${formatCount(used)} of ${formatCount(size)} tokens (${efficiency} %), ${formatCount(remaining)} left`;
  return sizeFrom === undefined ? share : `${share}; the size is what its definition says`;
}

/** As the agent told it last. */
function contextOf({ events }: RunPaths): ContextWindow | undefined {
  let context: ContextWindow | undefined;
  for (const batch of readEvents(events)) {
    for (const event of batch) if (event.type === "context_window") context = contextWindow(event);
  }
  return context;
}

function filesOf(paths: RunPaths): Facts["files"] {
  const files = [paths.prompt, paths.output, paths.events, paths.stdout, paths.stderr, paths.info];
  return files.flatMap((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? [] : [{ path, bytes: stat.size }];
  });
}

/** How the transcript ends. Only its last lines are kept while it is read. */
function lastLines({ info, run }: NamedRun, page: Page): string[] {
  let lines: string[] = [];
  const paper = new PlainPaper((text) => {
    lines = [...lines, ...text.slice(0, -1).split("\n")].slice(-LAST_LINES);
  });
  const scroll = new Scroll(paper, { thinking: true, render: false });
  for (const batch of readEvents(run.paths.events)) {
    for (const event of batch) scroll.add(event, page);
  }
  paper.end();
  return info.status === "running" ? lines : [...lines, "", ...renderClosing(info, page)];
}
