import { useId, useRef, useState } from "react";
import type { EventOf } from "../../../src/contract/events.ts";
import { answersOf, declining, isDeafTo, replyOf } from "../../../src/contract/requests/reply.ts";
import { answer, type Fate, inbox, requestKey } from "../api/inbox.ts";
import { cut, oneLine, revealed, revealedLine } from "../base/safe-text.ts";
import { useStore } from "../base/store.ts";
import { ago, clockTime } from "../base/times.ts";
import { useNow } from "../base/use-now.ts";
import { Excerpted } from "../text/excerpted.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { DenyButton } from "./deny-button.tsx";
import { DenyForm } from "./deny-form.tsx";
import { keycap, type Manner } from "./manner.ts";
import { most, type Request } from "./pieces.ts";
import { QuestionForm, useAnswers } from "./question-form.tsx";
import { useSeen } from "./use-seen.ts";
import { useWhole } from "./use-whole.ts";
import { What } from "./what.tsx";
import { YesButton } from "./yes-button.tsx";
import "../style/inbox.css";

export interface AskedRequest {
  run_id: string;
  pending_id: string;
  at?: string;
  cwd?: string;
  request: Request;
  rule?: { kind: string; match: string; project: string; agent: string };
}

interface CardProps {
  asked: AskedRequest;
  /** Keys act on this one. */
  isCurrent?: boolean;
  /** Numbers choose an answer here. */
  hasNumbers?: boolean;
  /** Somebody else answered it. */
  isOver?: boolean;
}

/**
 * What an agent asks, with everything one needs to decide, and the ways to answer. What is long scrolls; the ways to answer
 * stay in sight and where they are, whatever is said about them.
 */
export function RequestCard({ asked, isCurrent = true, hasNumbers = false, isOver = false }: CardProps) {
  const key = requestKey(asked);
  const fate = useStore(inbox, ({ fates }) => fates.get(key));
  const end = useStore(inbox, ({ ends }) => ends.get(key));
  const { request, cwd = "" } = asked;
  const whole = useWhole(asked.run_id, request, cwd);
  const given = useAnswers(request);
  const [denying, setDenying] = useState<"not yet" | "now" | "back">("not yet");
  const [said, say] = useState("");
  const body = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { hasMore, showMore } = useSeen(body, content);
  const form = useId();
  const manner: Manner = {
    over: isOver || isTaken(fate),
    isCut: whole.missing.length > 0,
    showMore: hasMore ? showMore : undefined,
    isCurrent,
    say,
  };
  const title = titleOf(request);
  const no = (reason: string) => {
    const denied = request.type === "permission_request" ? replyOf(request, "deny", false, reason) : undefined;
    void answer(asked, denied ?? { answer: declining(reason) });
  };
  return (
    <article className="request" data-request={key} aria-label={title} tabIndex={-1}>
      <header className="request-head">
        <Icon name={request.type === "permission_request" ? "lock" : "ask"} />
        {/* A command is shown in full below. */}
        <h3 className={isCommand(request) ? "one-line" : undefined}>{title}</h3>
        {asked.at && <Since at={asked.at} />}
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys must be able to scroll it */}
      <div className="request-what" ref={body} tabIndex={0} role="group" aria-label="What is asked">
        <div className="request-pieces" ref={content}>
          {request.type === "permission_request" ? (
            <What request={request} cwd={cwd} isWhole={whole.isWhole} fetched={whole.fetched} />
          ) : (
            <QuestionForm
              id={form}
              request={request}
              title={title}
              given={given}
              isWhole={whole.isWhole}
              manner={manner}
              hasNumbers={hasNumbers}
              onChoice={(answers) => void answer(asked, { answer: answersOf(request, answers) })}
            />
          )}
          {asked.rule && <RuleLine rule={asked.rule} isWhole={whole.isWhole} />}
        </div>
      </div>
      {whole.missing.length > 0 && (
        <p className="request-missing">
          <mark className="not-shown">{whole.missing.join(", ")}.</mark>
          <Button
            data-do="all"
            aria-disabled={whole.isLoading || undefined}
            {...keycap(manner, "s")}
            onClick={() => {
              if (whole.isLoading) return;
              say("");
              body.current?.focus(); // the button is gone in a moment, the focus must not be
              void whole.showAll();
            }}
          >
            Show all
          </Button>
        </p>
      )}
      {denying === "now" ? (
        <DenyForm
          over={manner.over}
          isTold={!isDeafTo(request)}
          name={request.type === "permission_request" ? "Deny" : "Don't answer"}
          onDeny={no}
          onBack={() => setDenying("back")}
        />
      ) : (
        <footer className="request-foot">
          {request.type === "permission_request" ? (
            <Allow asked={asked} request={request} manner={manner} />
          ) : (
            given.quick === undefined && (
              <YesButton
                kind="main"
                type="submit"
                form={form}
                icon="check"
                manner={{ ...manner, over: manner.over || !given.isComplete }}
                onYes={() => void answer(asked, { answer: answersOf(request, given.answers) })}
              >
                Answer
              </YesButton>
            )
          )}
          <DenyButton manner={manner} returns={denying === "back"} onPress={() => setDenying("now")}>
            {request.type === "permission_request" ? "Deny…" : "Don't answer…"}
          </DenyButton>
        </footer>
      )}
      <p className="request-note" role="status">
        {isOver || fate?.state === "taken" ? (
          <b>{end ? endText(end) : "Answered elsewhere."}</b>
        ) : (
          (whole.problem !== "" && said === "" ? whole.problem : said) ||
          (fate?.state === "failed" ? fate.text : hasMore && !manner.isCut ? "There is more below." : "")
        )}
      </p>
    </article>
  );
}

const isCommand = (request: Request) =>
  request.type === "permission_request" && request.actionDetails.command !== undefined;

const isTaken = (fate: Fate | undefined) => fate !== undefined && fate.state !== "failed";

function endText({ outcome, by, who }: EventOf<"request_resolved">): string {
  const word = outcome.charAt(0).toUpperCase() + outcome.slice(1);
  return `${word} by ${cut(oneLine(who ?? (by === "person" ? "somebody else" : `the ${by}`)), 80)}.`;
}

function titleOf(request: Request): string {
  if (request.type === "permission_request") return cut(revealedLine(request.permissionTitle), most.title);
  return cut(revealedLine(request.message ?? request.questions[0]?.text ?? "A question"), most.title);
}

function Since({ at }: { at: string }) {
  const now = useNow(15_000);
  return (
    <time dateTime={at} title={clockTime(at)}>
      {ago(at, now)}
    </time>
  );
}

function Allow({
  asked,
  request,
  manner,
}: {
  asked: AskedRequest;
  request: EventOf<"permission_request">;
  manner: Manner;
}) {
  const once = replyOf(request, "allow", asked.rule !== undefined);
  const always = replyOf(request, "always", asked.rule !== undefined);
  return (
    <>
      {once && (
        <YesButton
          kind="main"
          icon="check"
          data-do="allow"
          manner={manner}
          {...keycap(manner, "a")}
          onYes={() => void answer(asked, once)}
        >
          Allow once
        </YesButton>
      )}
      {always && (
        <YesButton data-do="always" manner={manner} {...keycap(manner, "A")} onYes={() => void answer(asked, always)}>
          Allow always
        </YesButton>
      )}
    </>
  );
}

/** “Always” is a rule, and this is the rule. */
function RuleLine({
  rule: { kind, match, project, agent },
  isWhole,
}: {
  rule: NonNullable<AskedRequest["rule"]>;
  isWhole: boolean;
}) {
  return (
    <p className="request-rule">
      Always stores the rule: allow <b>{kind}</b> of exactly{" "}
      <code>
        <Excerpted text={revealed(match)} most={isWhole ? Infinity : 160} />
      </code>{" "}
      {project === "" ? "in every project" : `in project ${project}`}
      {agent === "" ? "" : `, for ${agent}`}.
    </p>
  );
}
