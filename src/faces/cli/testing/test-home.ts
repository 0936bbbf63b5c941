import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HostReply, HostRequest, SentCommand } from "../../../contract/commands.ts";
import type { AgentEvent } from "../../../contract/events.ts";
import { runName } from "../../../contract/ids.ts";
import { blankRunInfo, type RunInfo } from "../../../contract/runs/run.ts";
import { EventLog } from "../../../core/store/events/event-log.ts";
import { type Home, openHome, runFolder, socketPath } from "../../../core/store/home.ts";
import { appendLedger, endRecord, startRecord } from "../../../core/store/ledger/ledger.ts";
import { claimRun, releaseRun } from "../../../core/store/runs/claims.ts";
import { giveHandle } from "../../../core/store/runs/handles.ts";
import { type RunPaths, runPaths } from "../../../core/store/runs/run-directory.ts";
import { readRunInfo, writeRunInfo } from "../../../core/store/runs/run-info.ts";
import { type CommandSpec, runCommand } from "../../../lib/command/command.ts";
import { bootId, pidNamespace, startTimeOf } from "../../../lib/process/holders/identity.ts";
import { linesOf } from "../../../lib/text/lines.ts";
import { testContext } from "./test-context.ts";

export const START = "2026-08-01T11:00:00.000Z";
export const END = "2026-08-01T11:01:30.000Z";

/** For tests: a COX_HOME with runs made by hand, and hosts that only write down what they are told. */
export class TestHome {
  readonly root = mkdtempSync(join(tmpdir(), "cox-cli-"));
  readonly home: Home = openHome(this.root);
  readonly #servers: Server[] = [];
  #count = 0;

  get env(): NodeJS.ProcessEnv {
    return { COX_HOME: this.root, TERM: "xterm", PATH: process.env.PATH };
  }

  /** Any command with these words; what it printed. */
  async cox(spec: CommandSpec, ...args: string[]) {
    const context = testContext({ env: this.env });
    const code = await runCommand(spec, args, context);
    return { code, out: context.out(), err: context.err(), lines: context.out().trimEnd().split("\n") };
  }

  /** A run that has ended, unless `fields` say otherwise. */
  addRun(events: readonly AgentEvent[] = [], fields: Partial<RunInfo> = {}, title = "a title"): TestRun {
    this.#count += 1;
    const number = String(this.#count).padStart(4, "0");
    const run_id = `20260801-110000${number}-0000042-${number}`;
    const paths = runPaths(runFolder(this.home, fields.project_id ?? "proj", "task", run_id));
    const info: RunInfo = {
      ...blankRunInfo,
      run_id,
      handle: giveHandle(this.home, run_id),
      project_id: "proj",
      task_id: "task",
      agent: "demo",
      model: "fast",
      start_time: START,
      end_time: END,
      status: "completed",
      exit_code: 0,
      turns: 1,
      cwd: "/work",
      output_path: paths.output,
      ...fields,
    };
    mkdirSync(paths.dir, { recursive: true });
    writeRunInfo(paths.info, info);
    writeFileSync(paths.stdout, "");
    appendLedger(this.home, startRecord(info, title));
    if (info.status !== "running") appendLedger(this.home, endRecord(info));
    const run = new TestRun(this.home, info, paths);
    run.say(events);
    return run;
  }

  /** A run with a host: its claim is that of this process. */
  async addLiveRun(events: readonly AgentEvent[] = [], fields: Partial<RunInfo> = {}): Promise<LiveTestRun> {
    const run = this.addRun(events, { status: "running", end_time: "", exit_code: -1, turns: 0, ...fields });
    claimRun(this.home, run.id, {
      pid: process.pid,
      start: startTimeOf(process.pid) ?? "",
      boot: bootId(),
      namespace: pidNamespace(),
      dir: run.paths.dir,
    });
    const live = new LiveTestRun(this.home, run.info, run.paths);
    this.#servers.push(await live.listen());
    return live;
  }

  /** A run whose host is gone: nobody has this start time. */
  addLostRun(events: readonly AgentEvent[] = []): TestRun {
    const run = this.addRun(events, { status: "running", end_time: "", exit_code: -1 });
    const dead = { pid: process.pid, start: "never", boot: bootId(), namespace: pidNamespace(), dir: run.paths.dir };
    claimRun(this.home, run.id, dead);
    return run;
  }

  remove(): void {
    for (const server of this.#servers) server.close();
    rmSync(this.root, { recursive: true, force: true });
  }
}

export class TestRun {
  readonly home: Home;
  readonly info: RunInfo;
  readonly paths: RunPaths;

  constructor(home: Home, info: RunInfo, paths: RunPaths) {
    this.home = home;
    this.info = info;
    this.paths = paths;
  }

  get id(): string {
    return this.info.run_id;
  }

  /** As people call it. */
  get name(): string {
    return runName(this.info);
  }

  say(events: readonly AgentEvent[], at = START): void {
    const log = new EventLog(this.paths.events);
    log.append(events, at);
    log.close();
  }

  /** Half a record, as a crash leaves it. */
  tear(): void {
    appendFileSync(this.paths.events, '\n{"seq":99,"at":"2026","type":"mess');
  }
}

export class LiveTestRun extends TestRun {
  readonly commands: SentCommand[] = [];
  /** What the host does with a command; a reply of its own refuses it. */
  react: (command: SentCommand) => HostReply | undefined = () => undefined;

  listen(): Promise<Server> {
    const server = createServer((socket) => void this.#serve(socket));
    return new Promise((resolve) => server.listen(socketPath(this.home, this.id), () => resolve(server)));
  }

  async #serve(socket: Socket): Promise<void> {
    socket.on("error", () => {});
    for await (const lines of linesOf(socket)) {
      for (const line of lines) {
        if (!("text" in line)) continue;
        const { id, command } = JSON.parse(line.text) as HostRequest;
        this.commands.push(command);
        const reply = this.react(command) ?? { id, ok: true };
        socket.write(`${JSON.stringify(reply)}\n`);
      }
    }
  }

  /** As a host does it: the log is closed, then the record is final, then the claim goes. */
  end(fields: Partial<RunInfo> = {}): void {
    this.say([{ type: "session_status", status: "closed", reason: "done" }], fields.end_time ?? END);
    const info = readRunInfo(this.paths.info) ?? this.info;
    const final: RunInfo = { ...info, status: "completed", exit_code: 0, end_time: END, turns: 1, ...fields };
    writeRunInfo(this.paths.info, final);
    appendLedger(this.home, endRecord(final));
    releaseRun(this.home, this.id);
  }
}
