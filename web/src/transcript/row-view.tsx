import { memo, useState } from "react";
import type { Content, EventOf } from "../../../src/contract/events.ts";
import type { TranscriptItem } from "../../../src/contract/sessions/transcript.ts";
import { wordsOf } from "../../../src/contract/words/content.ts";
import { formatBytes, formatCost, formatCount, formatDuration } from "../../../src/contract/words/figures.ts";
import { cut, oneLine, printable } from "../base/safe-text.ts";
import { clockTime } from "../base/times.ts";
import { Markdown } from "../text/markdown.tsx";
import { partText } from "../text/message-parts.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { CopyButton } from "../ui/parts.tsx";
import { Pill } from "../ui/pill.tsx";
import type { FlatRow } from "./flat.ts";
import { RequestRow } from "./request-row.tsx";
import { resendState } from "./resend-state.ts";
import { ToolRow } from "./tool-row.tsx";

interface RowProps {
  run: string;
  flat: FlatRow;
  opened: ReadonlySet<string>;
  toggle: (key: string) => void;
  streaming: boolean;
}

/** Items are changed in place, so what a row shows is handed on as values: those can be compared. */
export function RowView({ run, flat, opened, toggle, streaming }: RowProps) {
  const { row, key, depth, part, children } = flat;
  const indent = depth === 0 ? "" : `depth-${Math.min(depth, 4)}`;
  switch (row.kind) {
    case "request":
      return <RequestRow request={row.request} resolved={row.resolved} />;
    case "status":
      return <p className="row-status">{cut(oneLine(row.text), 300)}</p>;
    case "unmapped":
      return <Unmapped event={row.event} />;
    case "item":
  }
  const { item } = row;
  switch (item.kind) {
    case "message":
      return (
        <div className={`row-message ${indent}`}>
          {part?.cut ? (
            <Button kind="quiet" onClick={() => toggle(`${row.seq}+`)}>
              Show {formatBytes(part.end - part.start)} more of this word
            </Button>
          ) : (
            <MessageText text={part ? partText(item.text, part) : item.text} streaming={streaming} />
          )}
        </div>
      );
    case "tool":
      return (
        <div className={indent}>
          <ToolRow
            {...item.tool}
            run={run}
            output={item.output}
            isOpen={opened.has(key)}
            below={children}
            isBelowOpen={opened.has(`${key}/`)}
            rowKey={key}
            toggle={toggle}
          />
        </div>
      );
    case "reasoning":
      return (
        <div className={indent}>
          <Thought text={item.text} isOpen={opened.has(key)} rowKey={key} toggle={toggle} streaming={streaming} />
        </div>
      );
    case "user":
      return <UserRow run={run} content={item.content} by={item.by ?? ""} at={row.at} seq={row.seq} />;
    default:
      return <Other item={item} />;
  }
}

const MessageText = memo(function MessageText({ text, streaming }: { text: string; streaming: boolean }) {
  return (
    <div className={streaming ? "streaming" : undefined}>
      <Markdown text={text} />
    </div>
  );
});

const Thought = memo(function Thought({
  text,
  isOpen,
  rowKey,
  toggle,
  streaming,
}: {
  text: string;
  isOpen: boolean;
  rowKey: string;
  toggle: (key: string) => void;
  streaming: boolean;
}) {
  // While it thinks its latest words are shown, afterwards its first.
  const line = streaming ? oneLine(text.slice(-160)) : oneLine(text.slice(0, 200));
  return (
    <div className="row-thought">
      <button type="button" className="fold" aria-expanded={isOpen} onClick={() => toggle(rowKey)}>
        <Icon name={isOpen ? "down" : "right"} size={12} />
        <Icon name="bulb" size={14} />
        <span className="one-line">{isOpen ? "Thought" : line}</span>
      </button>
      {isOpen && <div className="thought-text">{cut(printable(text), 20_000)}</div>}
    </div>
  );
});

function UserRow({
  run,
  content,
  by,
  at,
  seq,
}: {
  run: string;
  content: readonly Content[];
  by: string;
  at: string;
  seq: number;
}) {
  const [all, setAll] = useState(false);
  const text = wordsOf(content);
  const others = content.filter((part) => part.type !== "text");
  const long = text.length > 3000;
  return (
    <div className="row-user">
      <header>
        <b>{by === "" ? "You" : cut(oneLine(by), 60)}</b>
        <time dateTime={at}>{clockTime(at)}</time>
        <span className="row-tools">
          <CopyButton text={text} label="Copy prompt" />
          {/* A Task in a cluster is no run of ours: nothing can be sent to it. */}
          {run !== "" && (
            <button
              type="button"
              className="icon-button resend"
              aria-label="Edit and send again"
              title="Edit and send again, from here"
              onClick={() => resendState.set({ run, seq, text, others })}
            >
              <Icon name="edit" />
            </button>
          )}
        </span>
      </header>
      <div className="user-text">{printable(all || !long ? cut(text, 100_000) : `${text.slice(0, 3000)}…`)}</div>
      {long && !all && (
        <Button kind="quiet" onClick={() => setAll(true)}>
          Show all {formatBytes(text.length)}
        </Button>
      )}
      {others.map((part, i) =>
        part.type === "image" ? (
          <img
            key={i}
            className="user-image"
            src={`/api/v1/runs/${encodeURIComponent(run)}/blobs/${part.sha256}`}
            alt={part.name ?? "Attached image"}
          />
        ) : (
          <span key={i} className="chip">
            {part.name ?? part.mimeType}
          </span>
        ),
      )}
    </div>
  );
}

function Other({ item }: { item: Exclude<TranscriptItem, { kind: "message" | "reasoning" | "tool" | "user" }> }) {
  switch (item.kind) {
    case "error":
      return <ErrorRow error={item.error} />;
    case "notice":
      return (
        <p className="row-status" title={item.notice.code}>
          {cut(oneLine(item.notice.text), 400)}
        </p>
      );
    case "end":
      return <EndRow complete={item.complete} />;
  }
}

const categories: Readonly<Record<EventOf<"error">["category"], string>> = {
  auth: "Not logged in",
  credits: "Out of credits",
  rate_limit: "Rate limit",
  model: "Model",
  network: "Network",
  server: "The provider's server",
  context: "Context window",
  process: "The agent's process",
  other: "Error",
};

function ErrorRow({ error }: { error: EventOf<"error"> }) {
  return (
    <div className="row-error" role="alert">
      <p>
        <Pill tone="bad" icon="warn">
          {categories[error.category]}
        </Pill>{" "}
        {cut(printable(error.message), 2000)}
        {error.retryable && <span className="muted"> The agent tries again by itself.</span>}
      </p>
      {error.remedy && (
        <p>
          <b>What to do:</b> {cut(printable(error.remedy), 1000)}
        </p>
      )}
      {error.stderrTail && (
        <details>
          <summary>What it printed last</summary>
          <pre className="output">{cut(printable(error.stderrTail), 10_000)}</pre>
        </details>
      )}
    </div>
  );
}

/** Where a turn ended, and what it took. */
function EndRow({ complete }: { complete: EventOf<"complete"> }) {
  const { outcome, usage, durationMs, reason, stopReason } = complete;
  const facts = [
    outcome === "completed"
      ? stopReason === undefined || stopReason === "end_turn"
        ? ""
        : stopReason.replace("_", " ")
      : outcome,
    reason === undefined ? "" : cut(oneLine(reason), 200),
    durationMs === undefined ? "" : formatDuration(durationMs),
    usage === undefined ? "" : `${formatCount(usage.input + usage.output)} tokens`,
    formatCost(usage?.costUsd ?? 0),
  ].filter((fact) => fact !== "");
  return (
    <p className={`row-end ${outcome}`}>
      <span>{facts.join(" · ") || "Turn ended"}</span>
    </p>
  );
}

function Unmapped({ event: { protocol, why, wireType, bytes, raw } }: { event: EventOf<"unmapped"> }) {
  return (
    <details className="row-unmapped">
      <summary>
        {protocol}: {cut(oneLine(wireType ?? why), 80)} ({formatBytes(bytes)}), which Coxswain doesn't know
      </summary>
      {raw && <pre className="output">{cut(printable(raw), 4000)}</pre>}
    </details>
  );
}
