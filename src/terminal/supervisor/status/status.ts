import { type Metrics, metrics } from "../../../lib/http/metrics.ts";
import type { CredentialMode } from "../credentials/cascade.ts";
import { FAILURES } from "../credentials/refresh.ts";
import type { StepReport } from "../step.ts";

/** What the supervisor does now. */
export type Phase =
  | { phase: "preparing" }
  | { phase: "starting" }
  | { phase: "running" }
  | { phase: "parked"; until: number; why: "rate limit" }
  | { phase: "reauth-needed" }
  | { phase: "waiting"; until: number }
  | { phase: "stopping" };

export interface StatusView {
  role: string;
  agent: string;
  project: string;
  phase: Phase["phase"];
  /** When it will go on by itself. */
  until: string | null;
  agent_state: string;
  restarts: number;
  max_restarts: number;
  lives: number;
  resumed: string | null;
  credentials: { mode: CredentialMode; failures: number; reauth_needed: boolean };
  hub: "none" | "registered" | "unreachable";
  stop_requested: boolean;
  terminal: { url: string; pid: number | null };
  steps: readonly StepReport[];
}

interface Fixed {
  role: string;
  agent: string;
  project: string;
  maxRestarts: number;
  hasHub: boolean;
}

/** Everything there is to know of a supervisor, in one place: its status page and its figures are made from it. */
export class Status {
  phase: Phase = { phase: "preparing" };
  agentState = "none";
  restarts = 0;
  resumed: string | undefined;
  credentialMode: CredentialMode = "None";
  stopRequested = false;
  terminal: { url: string; pid: number | undefined } = { url: "", pid: undefined };
  steps: readonly StepReport[] = [];
  #lives = 0;
  #failures = 0;
  #hub: StatusView["hub"];
  readonly #fixed: Fixed;
  readonly #metrics: Metrics = metrics();
  readonly #ends = this.#metrics.counter("cox_supervisor_agent_ends_total", "Ends of the agent, by exit code");
  readonly #refreshes = this.#metrics.counter("cox_supervisor_oauth_renewals_total", "Attempts to renew the login");
  readonly #beats = this.#metrics.counter("cox_supervisor_hub_heartbeats_total", "Registrations with the hub");
  readonly #dialogs = this.#metrics.counter(
    "cox_supervisor_dialogs_answered_total",
    "Keys pressed for dialogs at the start",
  );
  readonly #nudges = this.#metrics.counter("cox_supervisor_nudges_total", "First prompts given");

  constructor(fixed: Fixed, now: () => number) {
    this.#fixed = fixed;
    this.#hub = fixed.hasHub ? "unreachable" : "none";
    const begun = now();
    const gauge = (name: string, help: string, read: () => number) =>
      this.#metrics.gauge(`cox_supervisor_${name}`, help, read);
    gauge("uptime_seconds", "Since the supervisor began", () => Math.round((now() - begun) / 1000));
    gauge("lives", "How often the agent was started", () => this.#lives);
    gauge("restarts", "Restarts since the last healthy life", () => this.restarts);
    gauge("parked", "1 while it waits for a rate limit to pass", () => Number(this.phase.phase === "parked"));
    gauge("reauth_needed", "1 while the login needs a person", () => Number(this.reauthNeeded));
  }

  get reauthNeeded(): boolean {
    return this.#failures >= FAILURES;
  }

  begins(resumed: string | undefined): void {
    this.#lives += 1;
    this.resumed = resumed;
    this.agentState = "starting";
    this.phase = { phase: "starting" };
  }

  ended(code: number): void {
    this.agentState = "exited";
    this.terminal = { ...this.terminal, pid: undefined };
    this.#ends.add(1, { code: String(code) });
  }

  refreshed(failures: number): void {
    this.#failures = failures;
    this.#refreshes.add(1, { result: failures === 0 ? "ok" : "failed" });
  }

  beat(ok: boolean): void {
    this.#hub = ok ? "registered" : "unreachable";
    this.#beats.add(1, { result: ok ? "ok" : "failed" });
  }

  answered = (dialog: string): void => this.#dialogs.add(1, { dialog });
  nudged = (delivered: boolean): void => this.#nudges.add(1, { result: delivered ? "delivered" : "refused" });
  figures = (): string => this.#metrics.text();

  view(): StatusView {
    const { role, agent, project, maxRestarts } = this.#fixed;
    const { phase } = this;
    return {
      role,
      agent,
      project,
      phase: phase.phase,
      until: "until" in phase ? new Date(phase.until).toISOString() : null,
      agent_state: this.agentState,
      restarts: this.restarts,
      max_restarts: maxRestarts,
      lives: this.#lives,
      resumed: this.resumed ?? null,
      credentials: { mode: this.credentialMode, failures: this.#failures, reauth_needed: this.reauthNeeded },
      hub: this.#hub,
      stop_requested: this.stopRequested,
      terminal: { url: this.terminal.url, pid: this.terminal.pid ?? null },
      steps: this.steps,
    };
  }
}
