import { AppError } from "../contract/errors.ts";
import type { RecordedEvent } from "../contract/events.ts";
import type { McpServer } from "../contract/runs/mcp-server.ts";
import { resumeRequest } from "../contract/runs/request.ts";
import { startDetached } from "../core/launch/detach.ts";
import { conversationOf } from "../core/runs/conversation.ts";
import { attribution, openRun, readInfo, tellRun, whenEnded } from "../core/runs/run-access.ts";
import { Blobs } from "../core/store/blobs.ts";
import { followEvents, readEvents } from "../core/store/events/event-reader.ts";
import { homeAt, homePath } from "../core/store/home.ts";
import { stageAttachment } from "../core/store/runs/attachments.ts";
import { findRun, nameOfRun } from "../core/store/runs/find-run.ts";
import { requestOf } from "../faces/cli/run-options.ts";
import type { AcpRuns } from "../faces/tools/acp-session.ts";
import type { Context } from "../lib/command/command.ts";
import { isSilent, leaveSilent } from "./leave-silent.ts";

/** Runs for an editor, until it is gone: each in a host of its own, reached through its socket and its files. */
export function acpRuns(values: Parameters<typeof requestOf>[0], context: Context, gone: AbortSignal): AcpRuns {
  const home = homeAt(homePath(context.env));
  const by = attribution().replace(/terminal$/, "editor");
  return {
    async start({ cwd, mcpServers }) {
      const wishes = { ...values, cwd, interactive: true, detach: true };
      const request = await requestOf(wishes, [""], context);
      const servers = mcpServers.map(mcpServer);
      const { runId: run } = await startDetached(
        {
          ...request,
          what: { ...request.what, mcpServers: servers },
          lineage: { ...request.lineage, by },
        },
        context.env,
      );
      if (!gone.aborted) return run;
      // The editor left while it began. Nobody knows of it, so nobody would ever end it, or stop listening to it.
      await tellRun(await openRun(context, run), { type: "stop", by }, context);
      throw new AppError("run.not_live", `run ${run}: was stopped, since the editor is gone`);
    },

    async prompt(run, promptId, content) {
      const named = await openRun(context, run);
      try {
        await tellRun(named, { type: "prompt", promptId, content: [...content], delivery: "queue", by }, context);
        return run;
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "run.not_live") throw error;
        return (await startDetached(resumeRequest(run, { prompt: content, promptId }, by), context.env)).runId;
      }
    },

    tell: async (run, command) => tellRun(await openRun(context, run), { ...command, by }, context),

    async leave(run) {
      const named = await openRun(context, run);
      if (isSilent(named)) await leaveSilent(named, context);
      else await tellRun(named, { type: "stop", by }, context);
    },

    async *follow(run, after, signal) {
      const found = findRun(home, run);
      const named = { home, run: found, info: readInfo(found) };
      const until = whenEnded(named, context.clock, signal);
      for await (const events of followEvents(found.paths.events, { signal, until })) {
        const wanted = events.filter(({ seq }) => seq > after);
        if (wanted.length > 0) yield wanted;
      }
    },

    history(run) {
      const chain = conversationOf(home, run);
      const events = chain.flatMap((id) => [...readEvents(findRun(home, id).paths.events)].flat());
      const last = chain.at(-1) ?? run;
      return { run: last, events, lastSeq: lastSeqOf(events) };
    },

    nameOf: (run) => nameOfRun(home, run),
    readBody: (run, body) => new Blobs(findRun(home, run).paths.blobs).text(body),

    attach: (data) => stageAttachment(home, data, context.clock.now()),
  };
}

const lastSeqOf = (events: readonly RecordedEvent[]): number => events.at(-1)?.seq ?? 0;

/** As editors describe them. */
function mcpServer(given: unknown): McpServer {
  const { name, type, url, command, args, env, headers } = given as Record<string, unknown>;
  if (typeof name !== "string") throw new AppError("usage.invalid", "MCP server: it has no name");
  const pairs = (list: unknown) =>
    Object.fromEntries(
      (Array.isArray(list) ? list : []).map(({ name, value }: { name: string; value: string }) => [name, value]),
    );
  if (typeof url === "string") {
    return { name, transport: { type: type === "sse" ? "sse" : "http", url, headers: pairs(headers) } };
  }
  if (typeof command !== "string") throw new AppError("usage.invalid", `MCP server ${name}: neither command nor url`);
  return {
    name,
    transport: { type: "stdio", command, args: Array.isArray(args) ? args.map(String) : [], env: pairs(env) },
  };
}
