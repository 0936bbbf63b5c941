import { randomUUID } from "node:crypto";
import type { Answer, Command } from "../../../contract/commands.ts";
import { AppError, messageOf } from "../../../contract/errors.ts";
import type { AgentEvent, Content, EventOf, Usage } from "../../../contract/events.ts";
import type { Session } from "../../../contract/sessions/session.ts";
import { onlyWords } from "../../../contract/words/content.ts";
import type { OpenOptions, Protocol } from "../../../core/protocols/protocol.ts";
import { within } from "../../../core/protocols/within.ts";
import { runPaths } from "../../../core/store/runs/run-directory.ts";
import { Channel } from "../../../lib/base/channel.ts";
import { systemClock as clock } from "../../../lib/base/clock.ts";
import type { RunContext } from "../run-context.ts";
import type { AgentTurn, RegisteredAgent, WantedPermission } from "./registered-agent.ts";
import { sizeOf, textAfter } from "./written-text.ts";

/** Code can't be killed like a process: what doesn't react to its signal is left to itself after this. */
const GRACE_MS = 3000;

/** A conversation with an agent that is an object of this program: each prompt is a call of `execute`. */
export function protocolOf(agent: RegisteredAgent): Protocol {
  return {
    name: "registered",
    async open(_launch, options, signal) {
      signal.throwIfAborted();
      const session = new RegisteredSession(agent, options);
      signal.addEventListener("abort", () => void session.close(messageOf(signal.reason)), { once: true });
      return session;
    },
  };
}

interface RunningTurn {
  turn: string;
  cancel: AbortController;
  ended: Promise<void>;
}

type Request = EventOf<"permission_request"> | EventOf<"question_request">;
interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

class RegisteredSession implements Session {
  readonly events = new Channel<AgentEvent>();
  readonly #agent: RegisteredAgent;
  readonly #options: OpenOptions;
  readonly #waiting = new Map<string, Waiting>();
  #turns = 0;
  #requests = 0;
  #running: RunningTurn | undefined;
  #isClosed = false;

  constructor(agent: RegisteredAgent, options: OpenOptions) {
    this.#agent = agent;
    this.#options = options;
    this.events.push({ type: "session_status", status: "new", sessionId: randomUUID(), can: ["interrupt"] });
  }

  async send(command: Command): Promise<void> {
    switch (command.type) {
      case "prompt":
        return this.#prompt(command.content);
      case "answer":
        return this.#answer(command.pendingId, command.answer);
      case "interrupt":
        if (command.turn === undefined || command.turn === this.#running?.turn) this.#running?.cancel.abort();
        return;
      default:
        throw unsupported(`take the command ${command.type}`);
    }
  }

  async close(reason: string): Promise<void> {
    this.#isClosed = true;
    this.#running?.cancel.abort();
    if (this.#running !== undefined) await within(clock, GRACE_MS, this.#running.ended);
    this.#cancelRequests(reason);
    this.events.end();
  }

  async #prompt(content: readonly Content[]): Promise<void> {
    const prompt = onlyWords(content, (what) => unsupported(`take a prompt with ${what}`));
    if (this.#running?.cancel.signal.aborted === false) throw unsupported("take a prompt while a turn runs");
    if (this.#running !== undefined) await within(clock, GRACE_MS, this.#running.ended);
    if (this.#isClosed) throw unsupported("take a prompt: the session is closed");
    this.#turns += 1;
    const turn = `t${this.#turns}`;
    const cancel = new AbortController();
    this.events.push({ type: "turn_started", turn });
    const running: RunningTurn = { turn, cancel, ended: Promise.resolve() };
    this.#running = running;
    running.ended = this.#execute(running, prompt);
  }

  async #execute(running: RunningTurn, prompt: string): Promise<void> {
    const { turn } = running;
    const { signal } = running.cancel;
    const context = contextOf(this.#options, prompt);
    const before = sizeOf(context.stdoutPath);
    const told: { words: boolean; usage?: Usage } = { words: false };
    const end = (outcome: EventOf<"complete">["outcome"], reason?: string) => {
      if (this.#running !== running) return; // it was given up, and another turn is under way
      this.#cancelRequests(reason ?? "the turn has ended");
      this.events.push({ type: "complete", turn, outcome, reason, usage: told.usage });
      this.#running = undefined;
    };
    try {
      await this.#agent.execute(context, signal, this.#turnFor(running, told));
      if (told.words) this.#options.write?.("\n");
      else this.#say(running, textAfter(context.stdoutPath, before));
      end(signal.aborted ? "interrupted" : "completed");
    } catch (error) {
      const message = messageOf(error);
      if (signal.aborted) return end("interrupted", message);
      this.#tell(running, { type: "error", turn, message, category: "other", retryable: false });
      end("failed", message);
    }
  }

  #turnFor(running: RunningTurn, told: { words: boolean; usage?: Usage }): AgentTurn {
    const { turn } = running;
    return {
      say: (text) => {
        if (!this.#say(running, text)) return;
        told.words = true;
        this.#options.write?.(text);
      },
      permission: async (wanted) => {
        const answer = await this.#request(running, permissionOf(wanted, this.#nextId(), turn));
        return "optionId" in answer && answer.optionId === ALLOW;
      },
      ask: async (question, choices = []) => {
        const answer = await this.#request(running, questionOf(question, choices, this.#nextId(), turn));
        return "answers" in answer ? answer.answers[QUESTION]?.join(", ") : undefined;
      },
      usage: (usage) => {
        told.usage = usage;
        this.#tell(running, { type: "usage", turn, usage });
      },
    };
  }

  #say(running: RunningTurn, text: string): boolean {
    const { turn } = running;
    return text !== "" && this.#tell(running, { type: "message_chunk", turn, messageId: `${turn}-m1`, text });
  }

  /** Of a turn that has ended nothing is told any more. */
  #tell(running: RunningTurn, event: AgentEvent): boolean {
    if (this.#running !== running) return false;
    this.events.push(event);
    return true;
  }

  #nextId(): string {
    this.#requests += 1;
    return `r${this.#requests}`;
  }

  #request(running: RunningTurn, request: Request): Promise<Answer> {
    const { signal } = running.cancel;
    return new Promise((resolve, reject) => {
      if (this.#running !== running || signal.aborted) return reject(notWaiting());
      this.#waiting.set(request.pendingId, { resolve, reject });
      signal.addEventListener("abort", () => this.#cancelRequests("interrupted"), { once: true });
      this.events.push(request);
    });
  }

  #answer(pendingId: string, answer: Answer): void {
    const waiting = this.#waiting.get(pendingId);
    if (waiting === undefined) throw new AppError("request.not_found", `request ${pendingId}: not open`);
    this.#waiting.delete(pendingId);
    this.events.push(resolvedBy(pendingId, answer));
    waiting.resolve(answer);
  }

  #cancelRequests(reason: string): void {
    for (const [pendingId, { reject }] of this.#waiting) {
      this.events.push({ type: "request_resolved", pendingId, outcome: "cancelled", by: "agent", reason });
      reject(notWaiting());
    }
    this.#waiting.clear();
  }
}

function contextOf({ cwd, env }: OpenOptions, prompt: string): RunContext {
  const { JRUN_ID = "", JRUN_PROJECT_ID = "", JRUN_TASK_ID = "", JRUN_RUN_FOLDER = "" } = env;
  const { stdout, stderr } = runPaths(JRUN_RUN_FOLDER);
  return {
    runId: JRUN_ID,
    projectId: JRUN_PROJECT_ID,
    taskId: JRUN_TASK_ID,
    prompt,
    workingDir: cwd,
    stdoutPath: stdout,
    stderrPath: stderr,
    environment: env,
  };
}

const ALLOW = "allow";
const DENY = "deny";
const QUESTION = "q1";

function permissionOf(
  { title, kind = "other", reason, ...actionDetails }: WantedPermission,
  pendingId: string,
  turn: string,
): EventOf<"permission_request"> {
  return {
    type: "permission_request",
    pendingId,
    turn,
    permissionTitle: title,
    reason,
    source: "protocol",
    actionType: kind,
    actionDetails,
    permissionOptions: [
      { id: ALLOW, label: "Allow", kind: "allow_once" },
      { id: DENY, label: "Deny", kind: "reject_once" },
    ],
  };
}

function questionOf(
  text: string,
  choices: readonly string[],
  pendingId: string,
  turn: string,
): EventOf<"question_request"> {
  const options = choices.map((value) => ({ value, label: value }));
  const answer = options.length === 0 ? { answer: "text" as const } : { answer: "choice" as const, choices: options };
  return { type: "question_request", pendingId, turn, questions: [{ id: QUESTION, text, ...answer }] };
}

function resolvedBy(pendingId: string, answer: Answer): EventOf<"request_resolved"> {
  const resolved = { type: "request_resolved", pendingId, by: "person" } as const;
  if ("answers" in answer) return { ...resolved, outcome: "answered" };
  if ("optionId" in answer) {
    const { optionId, reason } = answer;
    return { ...resolved, outcome: optionId === ALLOW ? "allowed" : "denied", optionId, reason };
  }
  return { ...resolved, outcome: "denied", reason: answer.reason };
}

const unsupported = (what: string) => new AppError("command.unsupported", `this agent can't ${what}`);
const notWaiting = () => new AppError("run.not_live", "ask: the turn has ended");
