import { closeSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { wrap } from "../../contract/errors.ts";
import type { Policy } from "../../contract/requests/policy.ts";
import type { McpServer } from "../../contract/runs/mcp-server.ts";
import type { Session } from "../../contract/sessions/session.ts";
import type { Clock } from "../../lib/base/clock.ts";
import { openJournal } from "../../lib/files/journal-line.ts";
import { buildEnvironment } from "../../lib/process/path/environment.ts";
import { findExecutable } from "../../lib/process/path/executable.ts";
import { withInterpreter } from "../../lib/process/path/interpreter.ts";
import { nativeBinary } from "../agents/discovery/native-binary.ts";
import type { LaunchPlan } from "../agents/launch/launch.ts";
import { turnWords } from "../agents/launch/turn-words.ts";
import type { PriceTable } from "../agents/registry/price-file.ts";
import { builtinPrices, withCost } from "../agents/registry/prices.ts";
import { reportsCalls } from "../agents/registry/protocols.ts";
import { type Executor, localExecutor } from "../executors/executor.ts";
import { privateFolder } from "../executors/isolation.ts";
import type { LocalProcess } from "../executors/local.ts";
import { loadProtocol } from "../protocols/index.ts";
import type { OwnTools } from "../protocols/own-tools/own-tools.ts";
import type { Exit, Launch, Protocol } from "../protocols/protocol.ts";
import { ContextMeter } from "./context-meter.ts";
import { LiveSession } from "./live-session.ts";
import { Recollection } from "./recollection.ts";
import type { Remember, RulesFor } from "./requests.ts";
import { silenceLimit } from "./silence.ts";

export type { Executor, LocalProcess, OwnTools, RulesFor };

export interface OpenSpec {
  plan: LaunchPlan;
  /** Where the agent lives; here, if nothing is said. */
  executor?: Executor;
  /** One that is not among those known by name. */
  protocol?: Protocol;
  runId: string;
  callerEnv: NodeJS.ProcessEnv;
  cleanEnv: boolean;
  /** The run's own variables, over everything else. */
  runEnv: Readonly<Record<string, string>>;
  stdoutPath: string;
  stderrPath: string;
  policy: Policy;
  /** Decisions that people stored. */
  rules?: RulesFor;
  remember?: Remember;
  resume?: { sessionId: string; fork?: boolean };
  mcpServers: readonly McpServer[];
  tools?: OwnTools;
  clock: Clock;
  /** Said to the agent before the first prompt, but not part of it. */
  preface?: string;
  /** The preface tells an earlier conversation. */
  retold?: boolean;
  /** For agents that report only tokens. */
  prices?: PriceTable;
  readBlob: (sha256: string) => Promise<Uint8Array>;
  /** A process was started; a headless agent has one per turn. */
  onProcess(process: LocalProcess): void;
  onShrunk(file: string, from: number, to: number): void;
}

export interface OpenedSession {
  session: LiveSession;
  /** How the agent's last process ended, once it has. */
  lastExit(): Exit | undefined;
}

/** From a plan to a live conversation: program found, environment built, process started, protocol opened. */
export async function openSession(spec: OpenSpec, signal: AbortSignal): Promise<OpenedSession> {
  const { plan, executor = localExecutor } = spec;
  const protocol = spec.protocol ?? (await loadProtocol(plan.protocol));
  const env = environmentFor(spec, executor);
  const runDirectory = dirname(spec.stdoutPath);
  let exit: Exit | undefined;
  const launch: Launch = async (turn) => {
    const [program = "", ...args] = plan.argv;
    const [file, ...before] = executor.hasOurPrograms ? programWords(program, env, plan, executor) : [program];
    const process = await executor.start({
      file,
      args: [...before, ...args, ...(turn?.args ?? [])],
      cwd: plan.cwd,
      env,
      stdoutPath: spec.stdoutPath,
      stderrPath: spec.stderrPath,
      marker: { name: "COX_RUN_ID", value: spec.runId },
      stdin: turn?.stdin,
      pipeOutput: plan.pipeOutput,
      signal,
      onShrunk: (from, to) => spec.onShrunk(spec.stdoutPath, from, to),
    });
    spec.onProcess(process);
    void process.exited.then((how) => {
      exit = how;
    });
    return process;
  };
  const opened = await protocol.open(
    launch,
    {
      cwd: plan.cwd,
      model: plan.model,
      resume: isInArguments(plan) || plan.resume?.by === "context" ? undefined : spec.resume,
      resumeInArguments: isInArguments(plan) ? spec.resume : undefined,
      turnWords: plan.turnFlags && turnWords(plan.turnFlags),
      mcpServers: spec.mcpServers,
      tools: spec.tools,
      config: plan.config,
      privateDir: executor.inside === undefined ? runDirectory : await privateFolder(runDirectory),
      privateDirInside: executor.inside?.privateDir,
      permissions: spec.policy.default,
      readBlob: spec.readBlob,
      env,
      write: (text, file) => appendText(file === "stderr" ? spec.stderrPath : spec.stdoutPath, text),
    },
    signal,
  );
  await setOptions(opened, plan);
  const { policy, rules, remember, clock, preface, retold } = spec;
  const silenceMs = silenceLimit(plan.protocol, plan.config);
  const session = new LiveSession(opened, {
    policy,
    rules,
    remember,
    clock,
    preface,
    retold,
    recollection: plan.turnFlags && new Recollection(plan.turnFlags.resume !== ""),
    silenceMs,
    context: new ContextMeter({
      sizes: plan.contextWindows,
      model: plan.modelName,
      perCall: reportsCalls.has(plan.protocol),
    }),
    price: (usage) => withCost({ model: plan.modelName || undefined, ...usage }, spec.prices ?? builtinPrices),
  });
  return { session, lastExit: () => exit };
}

/** With a process per turn only the protocol knows what the next one goes on with. */
const isInArguments = ({ resume, turnFlags }: LaunchPlan) => resume?.by === "flag" && turnFlags === undefined;

/** Isolated, an agent gets a short list: what else the caller has may be anybody's. */
function environmentFor(
  { callerEnv, plan, runEnv, cleanEnv }: OpenSpec,
  { inherits, inside }: Executor,
): Record<string, string> {
  const caller = Object.fromEntries(Object.entries(callerEnv).filter(([name]) => inherits(name)));
  const clean = cleanEnv || inside !== undefined;
  return buildEnvironment({ caller, definition: plan.env, run: runEnv, keep: plan.keepEnv, clean });
}

/** Its PATH is the person's, but what we start by it is not whoever's: see process/distrust.ts. Isolated, it is the agent's own affair. */
function programWords(
  program: string,
  { PATH = "" }: Record<string, string>,
  { cwd }: LaunchPlan,
  { inside }: Executor,
): [string, ...string[]] {
  const file = nativeBinary(findExecutable(program, { path: PATH, cwd }));
  return inside === undefined ? withInterpreter(file, PATH) : [file];
}

/** What a model behind an API said, where an agent's own stdout would be. */
function appendText(path: string, text: string): void {
  const fd = openJournal(path);
  try {
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
}

/** A switch that doesn't hold must not go unnoticed: then there is no conversation. */
async function setOptions(session: Session, { options, displayName }: LaunchPlan): Promise<void> {
  for (const { id, value } of options) {
    try {
      await session.send({ type: "set_option", id, value });
    } catch (error) {
      await session.close("an option could not be set");
      throw wrap(`${displayName}: set option ${id}`, error, "agent.failed");
    }
  }
}
