import { randomUUID } from "node:crypto";
import { closeSync, ftruncateSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError, wrap } from "../../contract/errors.ts";
import type { AgentEvent } from "../../contract/events.ts";
import type { PermissionMode } from "../../contract/requests/policy.ts";
import { isKnownAgent } from "../../core/agents/registry/known-agent.ts";
import type { LocalProcess, OpenedSession } from "../../core/sessions/open.ts";
import { homePath, requirePrivateHome } from "../../core/store/home.ts";
import { systemClock } from "../../lib/base/clock.ts";
import { openJournal } from "../../lib/files/journal-line.ts";
import { packageRoot } from "../../lib/files/package-root.ts";
import { removeTree } from "../../lib/files/tree/remove-tree.ts";
import { checkRunContext, type RunContext } from "./run-context.ts";
import { Turn, type TurnResult } from "./turn.ts";

export interface AgentConfig {
  /** An agent's name, in any case: "claude", "codex", "gemini", "opencode", "perplexity", "xai", "demo" … */
  type: string;
  token?: string;
  baseUrl?: string;
  model?: string;
  /** What it may do without being asked; by default what needs permission is denied, because nobody is there to ask. */
  permissions?: PermissionMode;
  /** Another state folder than $COX_HOME or ~/.coxswain: agents of your own are in its agents.json. */
  home?: string;
}

export interface SessionOptions {
  cwd: string;
  env?: Readonly<Record<string, string>>;
  /** The agent's id of an earlier conversation. */
  resume?: string;
}

export interface Agent {
  readonly type: string;
  /** Runs one prompt to its end. Resolves on success, rejects with what went wrong; nothing is printed. */
  execute(context: RunContext, signal?: AbortSignal): Promise<void>;
  /** A conversation that stays open for several turns. */
  open(options: SessionOptions, signal?: AbortSignal): Promise<AgentSession>;
}

export interface AgentSession {
  /** The agent's own id of the conversation, once it has told it. */
  readonly id: string;
  run(prompt: string): Promise<TurnResult>;
  /** The same turn, event by event; the last one is `complete`. */
  runStreamed(prompt: string): AsyncGenerator<AgentEvent>;
  close(): Promise<void>;
}

const DEADLINE_MS = 30 * 60_000;

export function createAgent(config: AgentConfig): Agent {
  const home = config.home ?? homePath(process.env);
  requirePrivateHome(home);
  const type = config.type.toLowerCase();
  if (!isKnownAgent(home, type)) throw new AppError("agent.unknown", `unknown agent type: ${config.type}`);
  if (config.token?.trim() === "") {
    throw new AppError(
      "usage.invalid",
      "api key is empty; give a token, or none for an agent that has signed in by itself",
    );
  }

  const start = async (place: Place, signal: AbortSignal): Promise<Talk> => {
    // Only now: whoever imports the library pays for what it uses.
    const [{ loadRegistry, Registry }, { defaultModel }, { planLaunch }, { onTerminal }, { openSession }] =
      await Promise.all([
        import("../../core/agents/registry/registry.ts"),
        import("../../core/agents/discovery/models.ts"),
        import("../../core/agents/launch/launch.ts"),
        import("../../core/runner/on-terminal.ts"),
        import("../../core/sessions/open.ts"),
      ]);
    const definition = (home === undefined ? new Registry() : await loadRegistry(home)).get(type);
    const plan = planLaunch({
      definition,
      workspace: place.cwd,
      model: config.model ?? defaultModel(definition),
      permissions: config.permissions ?? "ask",
      own: { node: process.execPath, package: packageRoot() },
      caller: process.env,
      runEnv: place.env,
      profile: { token: config.token, baseUrl: config.baseUrl },
      resume: place.resume === undefined ? undefined : { sessionId: place.resume },
    });
    let agent: LocalProcess | undefined;
    const opened = await openSession(
      {
        plan,
        ...(await onTerminal({ plan, clock: systemClock })),
        runId: place.runId,
        callerEnv: process.env,
        cleanEnv: false,
        runEnv: place.env,
        stdoutPath: place.stdoutPath,
        stderrPath: place.stderrPath,
        policy: { default: config.permissions ?? "ask", unattended: "nobody is there to ask" },
        resume: place.resume === undefined ? undefined : { sessionId: place.resume },
        mcpServers: [],
        clock: systemClock,
        readBlob: () => Promise.reject(new AppError("command.unsupported", "attachments need a run")),
        onProcess: (process) => {
          agent = process;
        },
        onShrunk: () => {},
      },
      signal,
    );
    return new Talk(opened, place.runId, () => void agent?.stop(0), signal);
  };

  return {
    type,
    async execute(context, signal) {
      const { runId, workingDir, stdoutPath, stderrPath, prompt, environment } = checkRunContext(context);
      const limit = AbortSignal.any([AbortSignal.timeout(DEADLINE_MS), ...(signal ? [signal] : [])]);
      limit.throwIfAborted();
      const place = { runId, cwd: workingDir, stdoutPath, stderrPath, env: environment };
      const begin = async () => {
        for (const path of [stdoutPath, stderrPath]) beginFile(path);
        return start(place, limit);
      };
      const talk = await begin().catch((error: unknown) => {
        limit.throwIfAborted();
        throw wrap("execute agent", error);
      });
      try {
        await talk.run(prompt);
      } finally {
        await talk.close();
      }
    },
    async open({ cwd, env = {}, resume }, signal = new AbortController().signal) {
      const folder = mkdtempSync(join(tmpdir(), "cox-session-"));
      const paths = { stdoutPath: join(folder, "agent-stdout.txt"), stderrPath: join(folder, "agent-stderr.txt") };
      const talk = await start({ runId: randomUUID(), cwd, env, resume, ...paths }, signal);
      talk.afterwards(() => removeTree(folder));
      return talk;
    },
  };
}

/** What an earlier execution left in it is gone, as the specification has it; a link in its place is refused, as ever. */
function beginFile(path: string): void {
  const fd = openJournal(path);
  try {
    ftruncateSync(fd);
  } finally {
    closeSync(fd);
  }
}

interface Place {
  runId: string;
  cwd: string;
  stdoutPath: string;
  stderrPath: string;
  env: Readonly<Record<string, string>>;
  resume?: string;
}

/** `run` is a fold over what `runStreamed` yields. */
class Talk implements AgentSession {
  id = "";
  readonly #opened: OpenedSession;
  readonly #runId: string;
  readonly #events: AsyncIterator<AgentEvent>;
  readonly #signal: AbortSignal;
  #afterwards = () => {};

  constructor(opened: OpenedSession, runId: string, kill: () => void, signal: AbortSignal) {
    this.#opened = opened;
    this.#runId = runId;
    this.#events = opened.session.events[Symbol.asyncIterator]();
    this.#signal = signal;
    signal.addEventListener("abort", kill, { once: true });
  }

  afterwards(call: () => void): void {
    this.#afterwards = call;
  }

  async *runStreamed(prompt: string): AsyncGenerator<AgentEvent> {
    const content = [{ type: "text" as const, text: prompt }];
    await this.#opened.session.send({ type: "prompt", promptId: randomUUID(), content, delivery: "queue" });
    for (;;) {
      const { done, value } = await this.#events.next();
      this.#signal.throwIfAborted();
      if (done) throw new AppError("agent.failed", "the agent ended before its turn did");
      if (value.type === "session_status" && "sessionId" in value) this.id = value.sessionId;
      yield value;
      if (value.type === "complete") return;
    }
  }

  async run(prompt: string): Promise<TurnResult> {
    const turn = new Turn();
    for await (const event of this.runStreamed(prompt)) turn.add(event);
    if (turn.result?.outcome === "completed") return turn.result;
    const exit = this.#opened.lastExit();
    const code = exit !== undefined && exit.code !== 0 ? `agent exited with code ${exit.code}: ` : "";
    const details = { category: turn.error?.category, httpStatus: turn.error?.httpStatus, exitCode: exit?.code };
    throw new AppError("agent.failed", `${code}${turn.trouble}`, details);
  }

  async close(): Promise<void> {
    await this.#opened.session.close("closed");
    const { sweep } = await import("../../lib/process/stop.ts");
    await sweep({ name: "COX_RUN_ID", value: this.#runId }, 1000);
    this.#afterwards();
  }
}
