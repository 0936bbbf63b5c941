import { randomUUID } from "node:crypto";
import { AppError } from "../../contract/errors.ts";
import { Broadcast } from "../../core/screens/broadcast.ts";
import { Conversation } from "../../core/screens/conversation.ts";
import type { Driver } from "../../core/screens/drivers/driver.ts";
import { driverFor } from "../../core/screens/drivers/index.ts";
import { Cast, Recording } from "../../core/screens/recording.ts";
import type { TerminalSettings } from "../../core/screens/settings.ts";
import { type StartConfig, startScript } from "../../core/screens/start-script.ts";
import type { HookEvent } from "../../core/screens/state/hook-event.ts";
import type { HostEvent } from "../../core/screens/state/host-event.ts";
import { AgentTracker, type Transition } from "../../core/screens/state/tracker.ts";
import { addUsage, noUsage, type Usage } from "../../core/screens/state/usage.ts";
import { Watch } from "../../core/screens/state/watch.ts";
import { StopGate } from "../../core/screens/stop-gate.ts";
import type { Clock } from "../../lib/base/clock.ts";
import type { Log } from "../../lib/base/log.ts";
import type { Exit } from "../../lib/process/exit.ts";
import { buildEnvironment } from "../../lib/process/path/environment.ts";
import { findExecutable } from "../../lib/process/path/executable.ts";
import { shellWords } from "../../lib/text/shell-words.ts";
import { resumedLog } from "./claude/claude-conversation.ts";
import { ClaudeSession } from "./claude/claude-session.ts";
import { History } from "./history.ts";
import { readHookPipe } from "./hook-pipe.ts";
import { makeSessionFolder, removeSecrets, type SessionFolder } from "./session-folder.ts";
import { signalNumber, Terminal } from "./terminal.ts";

export interface HostOptions {
  settings: TerminalSettings;
  env: NodeJS.ProcessEnv;
  cwd: string;
  clock: Clock;
  log: Log;
}

/** One agent in one terminal, and everything that is known of it. The API in front of it only translates. */
export class TerminalHost {
  readonly id: string;
  readonly settings: TerminalSettings;
  readonly folder: SessionFolder;
  readonly terminal: Terminal;
  readonly tracker: AgentTracker;
  readonly conversation: Conversation;
  readonly gate: StopGate;
  readonly history: History;
  readonly recording: Recording;
  readonly events = new Broadcast<HostEvent>();
  readonly driver: Driver;
  /** Settles when the host is to end, with its exit code. */
  readonly ended: Promise<number>;
  startConfig: StartConfig;
  /** Under which address the agent's hooks find us. */
  address: Readonly<Record<string, string>> = {};
  readonly #options: HostOptions;
  readonly #watch: Watch;
  readonly #pipe: { close(): void };
  readonly #began: number;
  readonly #claude: ClaudeSession | undefined;
  #end: (code: number) => void = () => {};
  #usage = noUsage();
  #counts = { usage: 0, start: 0, again: 0 };
  /** The program has ended, and everybody was told. */
  #over: Promise<void> = Promise.resolve();
  #restarting = false;
  #ending: Promise<void> | undefined;
  #takeBackLook: (() => void) | undefined;

  static async create(options: HostOptions): Promise<TerminalHost> {
    const { settings, cwd, env } = options;
    if (settings.resume !== undefined) resumedLog(settings.resume, cwd, env); // whatever is wrong is said before anything is made
    const id = randomUUID();
    return new TerminalHost(options, id, await makeSessionFolder(id, options.env));
  }

  private constructor(options: HostOptions, id: string, folder: SessionFolder) {
    const { settings, clock } = options;
    const { cols, rows, ringSize, waits } = settings;
    this.#options = options;
    this.id = id;
    this.settings = settings;
    this.folder = folder;
    this.#began = clock.monotonic();
    const cast = settings.record
      ? new Cast(folder.cast, { cols, rows }, shellWords(settings.command), clock)
      : undefined;
    this.terminal = new Terminal({ cols, rows, ringSize, clock, cast });
    this.driver = driverFor(settings.agent, settings.agentConfig);
    this.tracker = new AgentTracker(
      (transition) => this.#onTransition(transition),
      () => clock.now(),
    );
    this.history = new History(folder);
    this.gate = new StopGate(settings.agentConfig.stop ?? { mode: "allow" }, (outcome) =>
      this.events.send({ event: "stop:outcome", ...outcome }),
    );
    this.startConfig = settings.agentConfig.start ?? {};
    this.recording = new Recording({
      path: folder.recording,
      clock,
      size: () => ({ cols: this.terminal.screen.cols, rows: this.terminal.screen.rows }),
      onEntry: (entry) => this.events.send({ event: "recording:entry", ...entry }),
    });
    this.recording.enabled = settings.record;
    const parts = { terminal: this.terminal, tracker: this.tracker, driver: this.driver, clock, waits };
    this.conversation = new Conversation({ ...parts, tell: (event) => this.events.send(event) });
    this.#watch = new Watch({ ...parts, onChange: () => this.#onScreen() });
    this.#pipe = readHookPipe(folder.hookPipe, (event) => this.#onHook(event));
    if (settings.agent === "claude") {
      const { env, cwd } = options;
      const tell = (event: HostEvent) => this.events.send(event);
      const onUsage = (usage: Usage) => this.#addUsage(usage);
      this.#claude = new ClaudeSession({ id, settings, folder, env, cwd, clock, tracker: this.tracker, tell, onUsage });
      this.terminal.output.listen((chunk) => this.#claude?.onOutput(chunk));
    }
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  get uptimeSecs(): number {
    return Math.floor((this.#options.clock.monotonic() - this.#began) / 1000);
  }

  get usage(): Usage {
    return this.#usage;
  }

  async start(): Promise<void> {
    const { env, cwd } = this.#options;
    const [program, ...args] = this.#claude?.command() ?? this.settings.command;
    const { exited } = await this.terminal.start({
      file: findExecutable(program, { path: env.PATH, cwd }),
      args,
      cwd,
      env: this.#childEnv(),
      marker: { name: "COX_TERMINAL", value: this.id },
    });
    this.#over = exited.then((exit) => this.#onExit(exit));
  }

  /** Ends the program and starts it anew, in the same conversation where the agent can. */
  async restart(): Promise<void> {
    if (this.#restarting || this.#ending !== undefined) throw new AppError("terminal.busy", "a restart is under way");
    this.#restarting = true;
    try {
      this.tracker.report({ tier: 1, state: "restarting", cause: "restart" });
      await this.terminal.stop(this.settings.waits.shutdownTimeout);
      await this.#over;
      this.terminal.screen.reset();
      await this.start();
      this.tracker.report({ tier: 1, state: "starting", cause: "restart" });
    } finally {
      this.#restarting = false;
    }
  }

  /** Lets the agent come to rest, ends it, and then the host. Asked twice, it hurries. */
  shutdown(): Promise<void> {
    this.#ending ??= this.#shutDown();
    return this.#ending;
  }

  async #shutDown(): Promise<void> {
    const { waits } = this.settings;
    await this.#drain(waits.drainTimeout);
    await this.terminal.stop(waits.shutdownTimeout);
    await this.#over;
    this.#end(this.terminal.exit?.code ?? 1);
  }

  /** Without waiting for anybody. */
  async kill(): Promise<void> {
    await this.terminal.stop(0);
    await this.#over;
    this.#end(130);
  }

  /** An agent in the middle of something is interrupted as a person would do it, so that it writes down where it stopped. */
  async #drain(timeoutMs: number): Promise<void> {
    const { clock } = this.#options;
    const until = clock.monotonic() + timeoutMs;
    const isBusy = () => this.terminal.exit === undefined && BUSY.has(this.tracker.state);
    for (let next = 0; this.driver.takesPrompts && isBusy() && clock.monotonic() < until; ) {
      if (clock.monotonic() >= next) {
        this.terminal.write("\x1b");
        next = clock.monotonic() + ESCAPE_EVERY_MS;
      }
      await clock.sleep(50);
    }
  }

  startScript(source: string, sessionId: string | undefined): string {
    const script = startScript(this.startConfig, source);
    if (source === "clear") this.tracker.say(undefined);
    this.#counts.start += 1;
    this.events.send({
      event: "start:outcome",
      source,
      ...(sessionId === undefined ? {} : { session_id: sessionId }),
      injected: script !== "",
      seq: this.#counts.start,
    });
    return script;
  }

  #addUsage(usage: Usage): void {
    this.#usage = addUsage(this.#usage, usage);
    this.#counts.usage += 1;
    this.events.send({ event: "usage:update", cumulative: this.#usage, seq: this.#counts.usage });
  }

  close(): void {
    this.#takeBackLook?.();
    this.#watch.close();
    this.#pipe.close();
    this.#claude?.close();
    this.recording.close();
    this.history.close();
    this.terminal.close();
    removeSecrets(this.folder);
  }

  #childEnv(): Record<string, string> {
    const { env } = this.#options;
    const caller = Object.fromEntries(Object.entries(env).filter(([name]) => !SECRETS.has(name)));
    return buildEnvironment({
      caller,
      definition: {},
      run: {
        ...(env.COX_HOME === undefined ? {} : { COX_HOME: env.COX_HOME }),
        COOP: "1",
        TERM: this.settings.term,
        COOP_HOOK_PIPE: this.folder.hookPipe,
        ...this.address,
      },
      keep: Object.keys(caller),
      clean: false,
    });
  }

  #onTransition(transition: Transition): void {
    const { clock, log } = this.#options;
    this.history.addState({ ...transition, timestamp_ms: clock.now() });
    log.info("state", { prev: transition.prev, next: transition.next, cause: transition.cause, seq: transition.seq });
    const { exit } = this.terminal;
    if (transition.next === "exited" && exit !== undefined) {
      this.events.send({ event: "exit", code: exit.code, signal: signalNumber(exit) });
    } else this.events.send({ event: "transition", ...transition });
    this.recording.add(
      "state",
      { prev: transition.prev, next: transition.next, cause: transition.cause },
      this.terminal.screen.snapshot(),
    );
    const { prompt } = transition;
    if (prompt?.ready && this.settings.groom === "auto") {
      this.conversation.pass(prompt).catch((error: unknown) => log.warn("a start-up screen was not passed", { error }));
    }
  }

  #onScreen(): void {
    const { ansi: _, ...screen } = this.terminal.screen.snapshot();
    this.events.send({ event: "screen", ...screen });
  }

  #onHook(event: HookEvent): void {
    this.history.addHook(event, this.#options.clock.now());
    this.events.send({ event: "hook:raw", data: event });
    this.recording.add("hook", { event: event.event }, this.terminal.screen.snapshot());
    // What a hook began is on the screen a while later.
    this.#takeBackLook?.();
    this.#takeBackLook = this.#options.clock.after(AFTER_HOOK_MS, () =>
      this.recording.add("screen", { after: event.event }, this.terminal.screen.snapshot()),
    );
    this.#claude?.onHook(event);
    const seen = this.driver.readHook?.(event);
    if (seen !== undefined) this.tracker.report({ ...seen, tier: 1 });
  }

  #onExit(exit: Exit): void {
    if (this.#restarting) return;
    if (exit.code === this.driver.startsAgainAfter && this.#ending === undefined && this.#counts.again < MOST_AGAIN) {
      this.#counts.again += 1;
      this.restart().catch((error: unknown) => this.#options.log.error("it could not be started again", { error }));
      return;
    }
    this.#options.log.info("the program has exited", { ...exit });
    this.tracker.report({ tier: 4, state: "exited", cause: "process:exit" });
  }
}

const BUSY: ReadonlySet<string> = new Set(["working", "prompt"]);
const AFTER_HOOK_MS = 30_000;
const MOST_AGAIN = 3;
const ESCAPE_EVERY_MS = 2000;
/** With these the agent could answer its own questions, or speak as us to the hub. */
const SECRETS = new Set(["COOP_AUTH_TOKEN", "COOP_MUX_TOKEN", "COOP_MUX_AUTH_TOKEN", "COOP_BROKER_TOKEN"]);
