import type { Answer, CommandOf } from "../../contract/commands.ts";
import { AppError, messageOf } from "../../contract/errors.ts";
import type { AgentEvent, EventOf } from "../../contract/events.ts";
import {
  actionKey,
  type Decision,
  decide,
  decideQuestion,
  type Policy,
  type Rule,
} from "../../contract/requests/policy.ts";
import type { OpenRequest } from "../../contract/sessions/transcript.ts";
import type { Clock } from "../../lib/base/clock.ts";

type Resolved = EventOf<"request_resolved">;
type Verdict = Pick<Resolved, "by" | "who" | "reason">;

/** The stored decisions that are about this request; read anew each time, because they can be revoked. */
export type RulesFor = (request: EventOf<"permission_request">) => readonly Rule[];

/** Stores a decision for good; refused where no rule can say the action exactly. */
export type Remember = (request: EventOf<"permission_request">, decision: Rule["decision"], who?: string) => void;

/** The agent's open requests: who may decide, who did, and that nobody decides twice. */
export class Requests {
  readonly #policy: Policy;
  readonly #rules: RulesFor;
  readonly #remember: Remember;
  readonly #clock: Clock;
  readonly #tell: (pendingId: string, answer: Answer) => Promise<void>;
  readonly #open = new Map<string, OpenRequest>();
  readonly #verdicts = new Map<string, Verdict & { at: string }>();
  /** Actions a person allowed for good, in this conversation. */
  readonly #always = new Set<string>();

  constructor(
    { policy, rules = () => [], remember = refuse }: { policy: Policy; rules?: RulesFor; remember?: Remember },
    clock: Clock,
    tell: (pendingId: string, answer: Answer) => Promise<void>,
  ) {
    this.#policy = policy;
    this.#rules = rules;
    this.#remember = remember;
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Once, when it is asked: the event says who decides, so nobody who reads it has to find out. */
  decide(request: OpenRequest): Decision {
    if (request.type === "question_request") return decideQuestion(this.#policy);
    const rules = this.#rules(request);
    // A stored no counts more than what was allowed earlier in this conversation.
    if (this.#always.has(actionKey(request)) && !rules.some((rule) => rule.decision === "deny")) {
      const allow = request.permissionOptions.find((option) => option.kind === "allow_once");
      if (allow) return { do: "choose", optionId: allow.id, reason: "always allowed in this conversation" };
    }
    return decide(this.#policy, request, rules);
  }

  /** `emit`: an answer could not be sent, or it expired before there was one. */
  opened(request: OpenRequest, decision: Decision, emit: (event: AgentEvent) => void): void {
    this.#open.set(request.pendingId, request);
    if (decision.do === "ask") return this.#watchExpiry(request, emit);
    const { reason } = decision;
    const answer: Answer =
      decision.do === "choose" ? { optionId: decision.optionId, reason } : { decline: true, reason };
    const by = deciderOf(decision);
    this.#verdicts.set(request.pendingId, { by, who: decision.rule, reason, at: this.#now() });
    this.#tell(request.pendingId, answer).catch((error: unknown) =>
      emit({ type: "notice", code: "answer_not_sent", text: `answer ${request.pendingId}: ${messageOf(error)}` }),
    );
  }

  /** The agent waits no longer than it said; who answers later is told so. */
  #watchExpiry({ pendingId, expiresAt }: OpenRequest, emit: (event: AgentEvent) => void): void {
    const left = expiresAt === undefined ? Number.NaN : Date.parse(expiresAt) - this.#clock.now();
    if (Number.isNaN(left)) return;
    this.#clock.after(Math.max(left, 0), () => {
      if (!this.#open.has(pendingId) || this.#verdicts.has(pendingId)) return;
      emit({ type: "request_resolved", pendingId, outcome: "expired", by: "agent", reason: `expired at ${expiresAt}` });
    });
  }

  async answer({ pendingId, answer, remember }: CommandOf<"answer">, who: string | undefined): Promise<void> {
    const earlier = this.#verdicts.get(pendingId);
    if (earlier) throw alreadyAnswered(pendingId, earlier);
    const request = this.#open.get(pendingId);
    if (request === undefined) throw new AppError("request.not_found", `request ${pendingId}: not open`);
    this.#check(request, answer);
    // Before the agent hears of it: it may ask for the same at once.
    if (remember !== undefined && request.type === "permission_request") this.#remember(request, remember, who);
    const reason = "reason" in answer ? answer.reason : undefined;
    this.#verdicts.set(pendingId, { by: "person", who, reason, at: this.#now() });
    if (request.type === "permission_request" && isAlways(request, answer)) this.#always.add(actionKey(request));
    await this.#tell(pendingId, answer);
  }

  /** The translator knows that it was resolved; who did it is known here. */
  resolved(event: Resolved): Resolved {
    this.#open.delete(event.pendingId);
    const verdict = this.#verdicts.get(event.pendingId);
    if (verdict === undefined) {
      this.#verdicts.set(event.pendingId, { by: event.by, at: this.#now() });
      return event;
    }
    const { by, who, reason } = verdict;
    return { ...event, by, who, reason: event.reason ?? reason };
  }

  /** An interrupt takes every open request with it. */
  cancelOpen(who: string | undefined): void {
    for (const pendingId of this.#open.keys()) {
      if (this.#verdicts.has(pendingId)) continue;
      this.#verdicts.set(pendingId, { by: "person", who, reason: "interrupted", at: this.#now() });
    }
  }

  #check(request: OpenRequest, answer: Answer): void {
    if (request.type === "permission_request" && "answers" in answer) {
      throw new AppError(
        "usage.invalid",
        `request ${request.pendingId}: asks for permission; answer allow, always or deny`,
      );
    }
    if (request.type === "question_request" && "optionId" in answer) {
      throw new AppError("usage.invalid", `request ${request.pendingId}: is a question; answer it with text`);
    }
    if (request.type !== "permission_request" || !("optionId" in answer)) return;
    if (request.permissionOptions.some((option) => option.id === answer.optionId)) return;
    const offered = request.permissionOptions.map((option) => option.id).join(", ");
    throw new AppError(
      "usage.invalid",
      `request ${request.pendingId}: no option ${answer.optionId}; offered: ${offered}`,
    );
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

export function deciderOf(decision: Decision): NonNullable<OpenRequest["decider"]> {
  if (decision.do === "ask") return "person";
  return decision.rule === undefined ? "policy" : "rule";
}

function isAlways(request: EventOf<"permission_request">, answer: Answer): boolean {
  if (!("optionId" in answer)) return false;
  return request.permissionOptions.some((option) => option.id === answer.optionId && option.kind === "allow_always");
}

const refuse: Remember = ({ pendingId }) => {
  throw new AppError("usage.invalid", `request ${pendingId}: this conversation keeps no rules; answer it alone`);
};

function alreadyAnswered(pendingId: string, { by, who, at }: Verdict & { at: string }): AppError {
  const whom = who ?? by;
  return new AppError("request.resolved", `request ${pendingId}: already answered by ${whom} at ${at}`, {
    by,
    who,
    at,
  });
}
