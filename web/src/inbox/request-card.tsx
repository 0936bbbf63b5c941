import { useEffect, useRef, useState } from "react";
import type { Body, EventOf } from "../../../src/contract/events.ts";
import { allowOnce, answer, deny, type Fate, inbox, optionFor, requestKey } from "../api/inbox.ts";
import { ago, clockTime } from "../base/figures.ts";
import { cut, oneLine, revealed } from "../base/safe-text.ts";
import { useStore } from "../base/store.ts";
import { useNow } from "../base/use-now.ts";
import { DiffView } from "../text/diff-view.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { QuestionForm } from "./question-form.tsx";
import "../style/inbox.css";

export interface Asked {
  run_id: string;
  pending_id: string;
  at?: string;
  cwd?: string;
  request: EventOf<"permission_request"> | EventOf<"question_request">;
  rule?: { kind: string; match: string; project: string; agent: string };
}

/** What an agent asks, with everything one needs to decide, and the ways to answer. */
export function RequestCard({ asked, keys = true }: { asked: Asked; keys?: boolean }) {
  const fate = useStore(inbox, ({ fates }) => fates.get(requestKey(asked)));
  const { request } = asked;
  return (
    <article className="request" data-request={requestKey(asked)} aria-label={titleOf(request)}>
      <header className="request-head">
        <Icon name={request.type === "permission_request" ? "lock" : "ask"} />
        {/* A command is shown in full below. */}
        <h3 className={isCommand(request) ? "one-line" : undefined}>{titleOf(request)}</h3>
        {asked.at && <Since at={asked.at} />}
      </header>
      {request.type === "permission_request" ? (
        <Permission asked={asked} request={request} busy={isOver(fate)} keys={keys} />
      ) : (
        <QuestionForm asked={asked} request={request} title={titleOf(request)} busy={isOver(fate)} />
      )}
      {fate?.state === "failed" && <p className="notice bad">{fate.text}</p>}
      {fate?.state === "taken" && <p className="notice">{fate.text}</p>}
    </article>
  );
}

const isCommand = (request: Asked["request"]) =>
  request.type === "permission_request" && request.actionDetails.command !== undefined;

const isOver = (fate: Fate | undefined) => fate?.state === "sending" || fate?.state === "taken";

function titleOf(request: Asked["request"]): string {
  if (request.type === "permission_request") return cut(oneLine(request.permissionTitle), 200);
  return cut(oneLine(request.message ?? request.questions[0]?.text ?? "A question"), 200);
}

function Since({ at }: { at: string }) {
  const now = useNow(15_000);
  return (
    <time dateTime={at} title={clockTime(at)}>
      {ago(at, now)}
    </time>
  );
}

function Permission({
  asked,
  request,
  busy,
  keys,
}: {
  asked: Asked;
  request: EventOf<"permission_request">;
  busy: boolean;
  keys: boolean;
}) {
  const [denying, setDenying] = useState(false);
  const [reason, setReason] = useState("");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (denying) input.current?.focus();
  }, [denying]);
  const once = allowOnce(request);
  const always = optionFor(request, ["allow_always"]);
  const mark = (key: string) => (keys ? { shortcut: key } : {});
  return (
    <>
      <What request={request} cwd={asked.cwd ?? ""} />
      {denying ? (
        <form
          className="request-deny"
          onSubmit={(event) => {
            event.preventDefault();
            void answer(asked, deny(request, reason.trim()));
          }}
        >
          <input
            ref={input}
            aria-label="Why not"
            placeholder="Why not? The agent is told. (optional)"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              event.stopPropagation();
              setDenying(false);
            }}
          />
          <Button kind="danger" type="submit" disabled={busy}>
            Deny
          </Button>
          <Button onClick={() => setDenying(false)}>Back</Button>
        </form>
      ) : (
        <footer className="request-foot">
          {once && (
            <Button
              kind="main"
              icon="check"
              data-do="allow"
              disabled={busy}
              {...mark("a")}
              onClick={() => void answer(asked, once)}
            >
              Allow once
            </Button>
          )}
          {(asked.rule !== undefined || always) && once && (
            <Button
              data-do="always"
              disabled={busy}
              {...mark("A")}
              onClick={() =>
                void answer(asked, asked.rule || !always ? once : { optionId: always.id }, asked.rule && "allow")
              }
            >
              Allow always
            </Button>
          )}
          <Button kind="danger" data-do="deny" disabled={busy} {...mark("d")} onClick={() => setDenying(true)}>
            Deny…
          </Button>
        </footer>
      )}
      {asked.rule && !denying && <RuleLine rule={asked.rule} />}
    </>
  );
}

/** “Always” is a rule, and this is the rule. */
function RuleLine({ rule: { kind, match, project, agent } }: { rule: NonNullable<Asked["rule"]> }) {
  return (
    <p className="request-rule">
      Always stores the rule: allow <b>{kind}</b> of exactly <code>{cut(revealed(match), 160)}</code>{" "}
      {project === "" ? "in every project" : `in project ${project}`}
      {agent === "" ? "" : `, for ${agent}`}.
    </p>
  );
}

/** The folder is named below. */
const within = (folder: string, path: string) =>
  folder !== "" && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;

const textOf = (body: Body) => (typeof body === "string" ? body : body.head);

function What({ request, cwd }: { request: EventOf<"permission_request">; cwd: string }) {
  const { command, paths, url, diffs } = request.actionDetails;
  const folder = request.actionDetails.cwd ?? cwd;
  return (
    <div className="request-what">
      {request.reason && <p className="pre-line">{cut(revealed(request.reason), 600)}</p>}
      {command !== undefined && <Command text={command} />}
      {url !== undefined && <code className="request-url">{cut(revealed(url), 600)}</code>}
      {paths !== undefined && diffs === undefined && (
        <ul className="mono">
          {paths.slice(0, 12).map((path) => (
            <li key={path}>{cut(revealed(within(folder, path)), 300)}</li>
          ))}
          {paths.length > 12 && <li>and {paths.length - 12} more</li>}
        </ul>
      )}
      {diffs?.map((diff) => (
        <figure key={diff.path} className="request-diff">
          <figcaption>
            {cut(revealed(within(folder, diff.path)), 300)} <span className="muted">{diff.change}</span>
          </figcaption>
          <DiffView unified={textOf(diff.unified)} path={diff.path} most={60} />
        </figure>
      ))}
      {folder !== "" && (
        <p className="muted one-line" title={folder}>
          in {cut(revealed(folder), 200)}
        </p>
      )}
    </div>
  );
}

/** All of it is executed, so all of it can be read. */
function Command({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  const whole = revealed(text);
  const long = whole.length > 1200;
  return (
    <>
      <pre className="request-command">{all || !long ? whole.slice(0, 200_000) : `${whole.slice(0, 1200)}…`}</pre>
      {long && !all && (
        <Button kind="quiet" onClick={() => setAll(true)}>
          Show all {whole.length.toLocaleString()} characters
        </Button>
      )}
    </>
  );
}
