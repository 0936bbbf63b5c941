import { join } from "node:path";
import type { RunDetail, runRoutes } from "../../../contract/api/runs.ts";
import type { RunItem } from "../../../contract/api/values.ts";
import { AppError } from "../../../contract/errors.ts";
import { runName } from "../../../contract/ids.ts";
import type { RunSummary } from "../../../contract/runs/run.ts";
import { phaseOf } from "../../../contract/sessions/session-state.ts";
import { deleteRun } from "../../../core/runs/delete-run.ts";
import { listRuns } from "../../../core/runs/list-runs.ts";
import { readRecord } from "../../../core/runs/run-record.ts";
import { liveStateOf } from "../../../core/runs/run-state.ts";
import { appendAudit } from "../../../core/store/audit.ts";
import { MAX_ATTACHMENT_BYTES, stageAttachment } from "../../../core/store/runs/attachments.ts";
import { isClaimed } from "../../../core/store/runs/claims.ts";
import { openRegularFile } from "../../../lib/files/regular-file.ts";
import type { Handlers } from "../api/handlers.ts";
import { sendFile } from "../files.ts";
import type { ServerPorts } from "../ports.ts";
import { eventPage } from "../runs/event-page.ts";
import { importRun } from "../runs/import-run.ts";
import { newRunRequest } from "../runs/new-run.ts";
import { requestItems } from "../runs/open-requests.ts";
import { resumable } from "../runs/resumable.ts";
import { runItem } from "../runs/run-item.ts";
import type { KnownRun, Runs } from "../runs/runs.ts";

/** Runs as they are on disk, live or ended. */
export function runHandlers(ports: ServerPorts, runs: Runs): Handlers<keyof typeof runRoutes> {
  const { home, clock, start } = ports;
  const now = () => new Date(clock.now()).toISOString();
  return {
    "GET /runs": ({ query }) => {
      const { items, ...page } = listRuns(home, query);
      return { items: items.map(runItem), ...page };
    },

    "POST /runs": async ({ body }, { by }) => {
      const { runId, handle, project, task } = await start(newRunRequest(body, by));
      appendAudit(home, { at: now(), what: "run.started", who: by, run: runId, project, task });
      return { run_id: runId, handle, project, task };
    },

    "POST /runs/import": ({ body }, { by }) => {
      const { run_id, project, task } = body;
      const known = runs.index.get(run_id);
      if (known !== undefined && (known.project !== project || known.task !== task)) {
        throw new AppError("run.exists", `run ${run_id}: is here already, in ${known.project}/${known.task}`);
      }
      importRun(home, body, clock.now());
      appendAudit(home, { at: now(), what: "run.imported", who: by, run: run_id, project, task });
      return { run_id };
    },

    "GET /runs/{run}": ({ params: { run } }) => detail(runs, runs.require(run)),

    "DELETE /runs/{run}": async ({ params: { run: runId } }, { by }) => {
      const run = runs.index.require(runId);
      const { project, task, paths } = run;
      if (isClaimed(home, runId)) throw new AppError("run.live", `run ${runName(run)}: still runs; stop it first`);
      await deleteRun(home, { run_id: runId, project, task, dir: paths.dir }, now());
      appendAudit(home, { at: now(), what: "run.deleted", who: by, run: runId, project, task });
      return undefined;
    },

    "GET /runs/{run}/events": ({ params: { run }, query }) => {
      const { events } = runs.index.require(run).paths;
      return eventPage(events, runs.folds.of(run, events).lastSeq, query);
    },

    "GET /runs/{run}/files/{file}": ({ params: { run, file } }, { exchange }) => {
      const { dir } = runs.index.require(run).paths;
      return send(exchange, join(dir, file), file);
    },

    "GET /runs/{run}/blobs/{sha256}": ({ params: { run, sha256 } }, { exchange }) => {
      const { blobs } = runs.index.require(run).paths;
      return send(exchange, join(blobs, sha256), sha256);
    },

    "GET /runs/{run}/tree": ({ params: { run } }) => ({ items: treeOf(runs, run) }),

    "POST /attachments": ({ query: { name }, body }, { exchange: { request } }) => {
      if (body.length === 0) throw new AppError("usage.invalid", "attachment: it is empty");
      if (body.length > MAX_ATTACHMENT_BYTES) {
        throw new AppError(
          "http.too_large",
          `attachment: ${body.length} bytes are too many; at most ${MAX_ATTACHMENT_BYTES}`,
        );
      }
      const mimeType = mimeTypeOf(request.headers["content-type"]);
      const sha256 = stageAttachment(home, body, clock.now());
      return { type: kindOf(mimeType), mimeType, sha256, ...(name === undefined ? {} : { name }) };
    },
  };

  async function send(exchange: Parameters<typeof sendFile>[0], path: string, name: string): Promise<undefined> {
    const file = openRegularFile(path);
    if (file === undefined) throw new AppError("file.not_found", `${name}: there is no such file in this run`);
    await sendFile(exchange, file.fd, { name });
    return undefined;
  }
}

export async function detail(runs: Runs, known: KnownRun): Promise<RunDetail> {
  const { run, info } = known;
  const fold = runs.folds.of(info.run_id, run.paths.events);
  const record = readRecord(runs.home, run, () => liveStateOf(fold.state));
  const live = record.end === undefined;
  const next = runs.next(info.run_id)?.info.run_id;
  return {
    ...record,
    phase: live ? phaseOf(fold.state) : "closed",
    last_seq: fold.lastSeq,
    open_requests: live ? requestItems(info, run.title, fold) : [],
    queue: fold.queue.map(({ promptId, content, by }) => ({ promptId, content, ...(by === undefined ? {} : { by }) })),
    options: [...fold.options],
    commands: fold.commands,
    can: [...fold.can],
    ...(fold.context === undefined ? {} : { context: fold.context }),
    resumable: live ? { ok: true } : await resumable(runs.home, info),
    ...(next === undefined ? {} : { next }),
    children: runs.index.childrenOf(info.run_id).map(runItem),
  };
}

/** The whole tree it belongs to: from the topmost run above it, with all attempts of each, oldest first. */
function treeOf({ index }: Runs, runId: string): RunItem[] {
  let top: RunSummary = index.require(runId);
  // A run that was made elsewhere may call anything its parent, also itself.
  const above = new Set<string>();
  for (let next: RunSummary | undefined = top; next !== undefined && !above.has(next.run_id); next = parentOf(next)) {
    above.add(next.run_id);
    top = next;
  }
  const found = new Map<string, RunSummary>();
  const visit = (run: RunSummary | undefined) => {
    if (run === undefined || found.has(run.run_id) || found.size >= MAX_TREE) return;
    found.set(run.run_id, run);
    for (const child of index.childrenOf(run.run_id)) visit(child);
    if (run.previous !== undefined) visit(index.get(run.previous));
    for (const next of index.nextOf(run.run_id)) visit(next);
  };
  visit(top);
  return [...found.values()].sort((a, b) => (a.run_id < b.run_id ? -1 : 1)).map(runItem);

  function parentOf({ parent }: RunSummary): RunSummary | undefined {
    return parent === undefined ? undefined : index.get(parent);
  }
}

const MAX_TREE = 1000;

function mimeTypeOf(header: string | undefined): string {
  const type = header?.split(";")[0]?.trim().toLowerCase() ?? "";
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) && type.length <= 100 ? type : "application/octet-stream";
}

function kindOf(mimeType: string): "image" | "audio" | "file" {
  if (mimeType.startsWith("image/")) return "image";
  return mimeType.startsWith("audio/") ? "audio" : "file";
}
