import { memo, useMemo, useState } from "react";
import type { Body, Tool, ToolKind, ToolStatus } from "../../../src/contract/events.ts";
import { beginningOf } from "../../../src/contract/words/content.ts";
import { countLines } from "../../../src/contract/words/diff.ts";
import { formatBytes, plural } from "../../../src/contract/words/figures.ts";
import { server } from "../api/client.ts";
import { cut, oneLine, printable } from "../base/safe-text.ts";
import { Ansi } from "../text/ansi.tsx";
import { DiffView } from "../text/diff-view.tsx";
import { Button } from "../ui/button.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { attempt } from "../ui/toast.tsx";

const kinds: Readonly<Record<ToolKind, IconName>> = {
  read: "file",
  edit: "edit",
  delete: "trash",
  move: "right",
  search: "search",
  execute: "terminal",
  think: "bulb",
  fetch: "globe",
  todo: "todo",
  subagent: "agents",
  other: "star",
};

const statuses: Readonly<Record<ToolStatus, { name: string; mark: string }>> = {
  pending: { name: "waits", mark: "…" },
  running: { name: "runs", mark: "…" },
  completed: { name: "done", mark: "✓" },
  failed: { name: "failed", mark: "✕" },
  denied: { name: "denied", mark: "⊘" },
  cancelled: { name: "cancelled", mark: "⊘" },
};

interface ToolRowProps extends Tool {
  run: string;
  output: string;
  isOpen: boolean;
  /** How much a sub-agent said and did below it. */
  below: number;
  isBelowOpen: boolean;
  rowKey: string;
  toggle: (key: string) => void;
}

/** One line; all of it when opened. */
export const ToolRow = memo(function ToolRow(props: ToolRowProps) {
  const { kind, toolName, toolTitle, toolStatus, isOpen, below, isBelowOpen, rowKey, toggle, exitCode, diffs } = props;
  const counts = useMemo(() => diffs?.map(({ unified }) => countLines(beginningOf(unified))), [diffs]);
  const { name, mark } = statuses[toolStatus];
  return (
    <div className={`row-tool ${toolStatus}`}>
      <button type="button" className="fold" aria-expanded={isOpen} onClick={() => toggle(rowKey)}>
        <Icon name={isOpen ? "down" : "right"} size={12} />
        <Icon name={kinds[kind]} size={14} />
        <span className={`one-line ${kind === "execute" ? "mono" : ""}`}>
          {cut(oneLine(toolTitle || toolName), 300)}
        </span>
        {counts && (
          <span className="diff-stat">
            <span className="added">+{counts.reduce((sum, { added }) => sum + added, 0)}</span>{" "}
            <span className="removed">−{counts.reduce((sum, { removed }) => sum + removed, 0)}</span>
          </span>
        )}
        {exitCode !== undefined && exitCode !== 0 && <span className="removed">exit {exitCode}</span>}
        <span className={`tool-mark ${toolStatus}`} role="img" aria-label={name} title={name}>
          {mark}
        </span>
      </button>
      {below > 0 && (
        <button type="button" className="fold below" aria-expanded={isBelowOpen} onClick={() => toggle(`${rowKey}/`)}>
          <Icon name={isBelowOpen ? "down" : "right"} size={12} />
          <span>{isBelowOpen ? "Hide what the sub-agent did" : `Sub-agent: ${plural(below, "step")}`}</span>
        </button>
      )}
      {isOpen && <Opened {...props} />}
    </div>
  );
});

function Opened({ run, toolName, toolArgs, result, output, diffs, locations }: ToolRowProps) {
  const printed = output !== "" ? output : undefined;
  const args = useMemo(() => argsText(toolArgs), [toolArgs]);
  return (
    <div className="tool-open">
      <p className="muted">
        {cut(oneLine(toolName), 80)}
        {locations &&
          locations.length > 0 &&
          ` · ${cut(locations.map(({ path, line }) => (line ? `${path}:${line}` : path)).join(", "), 300)}`}
      </p>
      {args !== "" && <Long text={args} label="Arguments" />}
      {diffs?.map((diff) => (
        <figure key={diff.path} className="request-diff">
          <figcaption>
            {cut(oneLine(diff.path), 200)} <span className="muted">{diff.change}</span>
          </figcaption>
          <DiffView unified={beginningOf(diff.unified)} path={diff.path} most={200} />
        </figure>
      ))}
      {printed !== undefined && <Long text={printed} label="Output" fromEnd />}
      {result !== undefined && beginningOf(result) !== printed && <Result run={run} body={result} />}
    </div>
  );
}

function argsText(args: unknown): string {
  if (args === undefined || args === null) return "";
  if (typeof args === "string") return args;
  const text = JSON.stringify(args, null, 2) ?? "";
  return text === "{}" ? "" : text;
}

/** A large text lies on the server until somebody wants it. */
function Result({ run, body }: { run: string; body: Body }) {
  const [whole, setWhole] = useState<string>();
  if (typeof body === "string") return <Long text={body} label="Result" />;
  const load = async () => {
    const params = { run, sha256: body.sha256 };
    const range = { headers: { range: `bytes=0-${2 * 1024 * 1024}` } };
    await attempt(
      server
        .open("GET /runs/{run}/blobs/{sha256}", { params }, range)
        .then(async (reply) => setWhole(await reply.text())),
    );
  };
  return (
    <>
      <Long text={whole ?? body.head} label="Result" />
      {whole === undefined && (
        <Button kind="quiet" onClick={() => void load()}>
          Load all {formatBytes(body.bytes)}
        </Button>
      )}
    </>
  );
}

const SHOWN = 6000;

/** The beginning, or for what a program printed the end; more on demand. */
function Long({ text, label, fromEnd = false }: { text: string; label: string; fromEnd?: boolean }) {
  const [limit, setLimit] = useState(SHOWN);
  const long = text.length > limit;
  const part = !long ? text : fromEnd ? text.slice(-limit) : text.slice(0, limit);
  const more = (
    <Button kind="quiet" onClick={() => setLimit(limit * 8)}>
      Show more ({formatBytes(text.length)})
    </Button>
  );
  return (
    <>
      {long && fromEnd && more}
      <pre className="output" tabIndex={0} aria-label={label}>
        {label === "Output" ? <Ansi text={part} /> : printable(part)}
      </pre>
      {long && !fromEnd && more}
    </>
  );
}
