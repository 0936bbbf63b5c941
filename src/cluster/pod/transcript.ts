import { randomInt } from "node:crypto";
import type { AgentEvent } from "../../contract/events.ts";
import { blankRunInfo, formatRunInfo, type RunInfo } from "../../contract/runs/run.ts";
import { type LogReader, openLogReader } from "../../core/protocols/log-reader.ts";
import type { Clock } from "../../lib/base/clock.ts";
import { type Line, LineSplitter } from "../../lib/text/lines.ts";
import type { Figures } from "./figures.ts";
import { streamProtocolOf } from "./stream-protocol.ts";

/** What a server takes in one piece is 64 MiB; beyond this an agent's story is cut, and that is said. */
const MAX_BYTES = 32 * 1024 * 1024;

/** How the container's work ended, for the record. */
export interface PodEnd {
  exitCode: number;
  figures: Figures;
  isStopped: boolean;
}

/** What the agent said as the events of a run, for a server that keeps it beyond the pod's life. */
export class Transcript {
  readonly #reader: LogReader | undefined;
  readonly #clock: Clock;
  readonly #env: NodeJS.ProcessEnv;
  readonly #began: number;
  readonly #lines = new LineSplitter();
  readonly #events: string[] = [];
  #bytes = 0;
  #turns = 0;

  private constructor(reader: LogReader | undefined, env: NodeJS.ProcessEnv, clock: Clock) {
    this.#reader = reader;
    this.#env = env;
    this.#clock = clock;
    this.#began = clock.now();
  }

  static async open(env: NodeJS.ProcessEnv, clock: Clock): Promise<Transcript> {
    const protocol = streamProtocolOf(env.KELOS_AGENT_TYPE ?? "");
    return new Transcript(protocol === undefined ? undefined : await openLogReader(protocol), env, clock);
  }

  prompt(text: string): void {
    this.#add([{ type: "user_message", promptId: "task", content: [{ type: "text", text }], delivery: "start" }]);
  }

  push(chunk: Uint8Array): void {
    if (this.#bytes <= MAX_BYTES) this.#take(this.#lines.push(chunk));
  }

  /** The body of the import; a run has a name of its own, whatever pod it comes from. */
  finish(end: PodEnd, prompt: string | undefined) {
    this.#take(this.#lines.end());
    this.#add(this.#reader?.end("the agent has ended") ?? []);
    const { exitCode } = end;
    this.#add([
      { type: "session_status", status: "closed", reason: exitCode === 0 ? "completed" : "failed", exitCode },
    ]);
    const info = this.#record(end);
    const files = {
      "run-info.yaml": formatRunInfo(info),
      "events.jsonl": this.#events.join(""),
      ...(prompt === undefined ? {} : { "prompt.md": prompt }),
      ...(end.figures.response === undefined ? {} : { "output.md": end.figures.response }),
    };
    const title = (prompt ?? "").split("\n")[0]?.slice(0, 120) ?? "";
    return { run_id: info.run_id, project: info.project_id, task: info.task_id, title, files };
  }

  #take(lines: readonly Line[]): void {
    for (const line of lines) {
      const isMessage = "text" in line && line.text.trimStart().startsWith("{");
      if (this.#reader !== undefined && isMessage) this.#add(this.#reader.read(line));
      else if ("text" in line && line.text.trim() !== "") this.#add([{ type: "notice", code: "log", text: line.text }]);
    }
  }

  #add(events: readonly AgentEvent[]): void {
    const at = new Date(this.#clock.now()).toISOString();
    for (const event of events) {
      if (event.type === "complete") this.#turns += 1;
      const isKept = this.#bytes <= MAX_BYTES || event.type === "complete" || event.type === "session_status";
      if (isKept) this.#write({ seq: this.#events.length + 1, at, ...event });
    }
  }

  #write(event: object): void {
    const text = `\n${JSON.stringify(event)}\n`;
    this.#bytes += text.length;
    this.#events.push(text);
    if (this.#bytes <= MAX_BYTES || this.#bytes - text.length > MAX_BYTES) return;
    const notice = {
      type: "notice",
      code: "cut",
      text: "the rest of what the agent said is not kept: it was too much",
    };
    this.#events.push(
      `\n${JSON.stringify({ seq: this.#events.length + 1, at: new Date(this.#clock.now()).toISOString(), ...notice })}\n`,
    );
  }

  #record({ exitCode, figures, isStopped }: PodEnd): RunInfo {
    const env = this.#env;
    const time = (ms: number) => new Date(ms).toISOString();
    return {
      ...blankRunInfo,
      run_id: runIdAt(this.#began),
      project_id: env.KELOS_TASK_NAMESPACE || "kubernetes",
      task_id: env.KELOS_TASK_NAME || "task",
      agent: env.KELOS_AGENT_TYPE ?? "",
      model: env.KELOS_MODEL ?? "",
      start_time: time(this.#began),
      end_time: time(this.#clock.now()),
      exit_code: exitCode,
      status: exitCode === 0 ? "completed" : "failed",
      reason: exitCode === 0 ? "" : isStopped ? "stopped" : "exit_code",
      error_summary: figures.failure ?? "",
      turns: this.#turns,
      input_tokens: Number(figures.inputTokens ?? 0),
      output_tokens: Number(figures.outputTokens ?? 0),
      cost_usd: Number(figures.costUsd ?? 0),
      branch: env.KELOS_BRANCH ?? "",
    };
  }
}

/** The process of a pod always has the same number, so chance takes its place. */
function runIdAt(ms: number): string {
  const stamp = new Date(ms).toISOString().replace(/\D/g, "");
  return `${stamp.slice(0, 8)}-${stamp.slice(8, 17)}${randomInt(10)}-${String(randomInt(10_000_000)).padStart(7, "0")}-0001`;
}
