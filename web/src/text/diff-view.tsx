import { Fragment, memo, type ReactNode, useEffect, useMemo, useState } from "react";
import { notShown } from "../../../src/contract/requests/excerpt.ts";
import { type DiffLine, type Hunk, readDiff } from "../../../src/contract/words/diff.ts";
import { cut, revealed } from "../base/safe-text.ts";
import { Button } from "../ui/button.tsx";
import { paint } from "./code.tsx";
import { diffExcerpt, pairs, WIDEST } from "./diff.ts";
import { Excerpted } from "./excerpted.tsx";
import type { Painted } from "./highlight.ts";
import "../style/diff.css";

interface DiffViewProps {
  unified: string;
  path: string;
  split?: boolean;
  wrap?: boolean;
  /** Lines shown at first. */
  most?: number;
  /** For what is approved: its beginning and its end, or all of it; never a beginning alone. */
  approving?: "excerpt" | "all";
  onLine?: (line: DiffLine) => void;
  below?: (line: DiffLine) => ReactNode;
}

export const DiffView = memo(function DiffView(props: DiffViewProps) {
  const { unified, path, most = 400, approving } = props;
  const hunks = useMemo(() => readDiff(unified), [unified]);
  const [shown, setShown] = useState(most);
  const colours = useColours(hunks, path);
  const total = hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  if (total === 0) return <p className="diff-none">No lines to show.</p>;
  const { head, tail, hidden } = approving
    ? diffExcerpt(hunks, approving === "all" ? total : most)
    : { head: firstLines(hunks, shown), tail: [], hidden: 0 };
  const rows = (part: readonly Hunk[]) =>
    part.map((hunk, i) => <HunkRows key={i} hunk={hunk} props={props} colours={colours} />);
  return (
    <div className={`diff ${props.split ? "split" : ""} ${props.wrap === false ? "" : "wrap"}`}>
      <table>
        <tbody>
          {rows(head)}
          {hidden > 0 && (
            <tr className="diff-hidden">
              <td colSpan={props.split ? 4 : 3}>… {notShown(hidden, "line")} …</td>
            </tr>
          )}
          {rows(tail)}
        </tbody>
      </table>
      {!approving && total > shown && (
        <Button kind="quiet" onClick={() => setShown(shown + 2000)}>
          Show {Math.min(2000, total - shown)} more lines
        </Button>
      )}
    </div>
  );
});

function firstLines(hunks: readonly Hunk[], most: number): Hunk[] {
  let left = most;
  return hunks.flatMap((hunk) => {
    if (left <= 0) return [];
    const part = left < hunk.lines.length ? { ...hunk, lines: hunk.lines.slice(0, left) } : hunk;
    left -= hunk.lines.length;
    return [part];
  });
}

type Colours = ReadonlyMap<DiffLine, readonly Painted[]>;

function HunkRows({ hunk, props, colours }: { hunk: Hunk; props: DiffViewProps; colours: Colours }) {
  const { split, onLine, below } = props;
  return (
    <>
      <tr className="diff-hunk">
        <td colSpan={split ? 4 : 3}>{cut(revealed(hunk.header), 200)}</td>
      </tr>
      {split
        ? pairs(hunk).map(({ left, right }, i) => (
            <Fragment key={i}>
              <tr>
                <Side
                  line={left}
                  number={left?.old}
                  colours={colours}
                  onLine={left?.kind === "removed" ? onLine : undefined}
                />
                <Side line={right} number={right?.new} colours={colours} onLine={onLine} />
              </tr>
              {left !== right && left && below && <Below content={below(left)} columns={4} />}
              {right && below && <Below content={below(right)} columns={4} />}
            </Fragment>
          ))
        : hunk.lines.map((line, i) => (
            <Fragment key={i}>
              <tr className={line.kind}>
                <Number line={line} number={line.old} onLine={line.kind === "removed" ? onLine : undefined} />
                <Number line={line} number={line.new} onLine={line.kind === "removed" ? undefined : onLine} />
                <Text line={line} colours={colours} approving={props.approving} />
              </tr>
              {below && <Below content={below(line)} columns={3} />}
            </Fragment>
          ))}
    </>
  );
}

function Below({ content, columns }: { content: ReactNode; columns: number }) {
  if (content === null || content === undefined) return null;
  return (
    <tr className="diff-below">
      <td colSpan={columns}>{content}</td>
    </tr>
  );
}

function Side({
  line,
  number,
  colours,
  onLine,
}: {
  line: DiffLine | undefined;
  number: number | undefined;
  colours: Colours;
  onLine: DiffViewProps["onLine"];
}) {
  if (line === undefined) return <td colSpan={2} className="diff-blank" />;
  return (
    <>
      <Number line={line} number={number} onLine={onLine} side />
      <Text line={line} colours={colours} side />
    </>
  );
}

function Number({
  line,
  number,
  onLine,
  side,
}: {
  line: DiffLine;
  number: number | undefined;
  onLine?: DiffViewProps["onLine"];
  side?: true;
}) {
  return (
    <td className={`diff-number ${side ? line.kind : ""}`}>
      {onLine ? (
        <button type="button" aria-label={`Comment on line ${line.new ?? line.old}`} onClick={() => onLine(line)}>
          {number}
        </button>
      ) : (
        number
      )}
    </td>
  );
}

function Text({
  line,
  colours,
  side,
  approving,
}: {
  line: DiffLine;
  colours: Colours;
  side?: true;
  approving?: DiffViewProps["approving"];
}) {
  // Colours are for lines that fit; of what is approved the end of a wide line matters as much.
  const wide = approving !== undefined && revealed(line.text).length > WIDEST;
  const painted = wide ? undefined : colours.get(line);
  const mark = line.kind === "added" ? "+" : line.kind === "removed" ? "−" : " ";
  return (
    <td className={`diff-text ${side ? line.kind : ""}`}>
      <span className="diff-mark">{mark}</span>
      {painted ? (
        paint(painted)
      ) : approving ? (
        <Excerpted text={revealed(line.text)} most={approving === "all" ? Infinity : WIDEST} />
      ) : (
        cut(revealed(line.text), WIDEST)
      )}
    </td>
  );
}

/** Each hunk is coloured as one text, so that strings and comments over several lines are right. */
function useColours(hunks: readonly Hunk[], path: string): Colours {
  const [colours, setColours] = useState<Colours>(new Map());
  useEffect(() => {
    let wanted = true;
    const size = hunks.reduce((sum, { lines }) => sum + lines.reduce((s, { text }) => s + text.length, 0), 0);
    if (size > 200_000 || size === 0) return;
    void import("./highlight.ts").then(async ({ highlight, languageOf }) => {
      const all = new Map<DiffLine, readonly Painted[]>();
      for (const { lines } of hunks) {
        for (const kind of ["removed", "added"] as const) {
          const side = lines.filter((line) => line.kind === "same" || line.kind === kind);
          const nodes = await highlight(
            side.map(({ text }) => cut(revealed(text), WIDEST)).join("\n"),
            languageOf(path),
          );
          if (nodes === undefined) return;
          for (const [i, painted] of byLine(nodes).entries()) {
            const line = side[i];
            if (line !== undefined) all.set(line, painted);
          }
        }
      }
      if (wanted) setColours(all);
    });
    return () => {
      wanted = false;
    };
  }, [hunks, path]);
  return colours;
}

/** Cuts the tree at its line ends; a scope over several lines is in each of them. */
export function byLine(nodes: readonly Painted[]): Painted[][] {
  const lines: Painted[][] = [[]];
  for (const node of nodes) {
    const parts: Painted[][] =
      typeof node === "string"
        ? node.split("\n").map((text) => (text === "" ? [] : [text]))
        : byLine(node.children).map((children) => [{ scope: node.scope, children }]);
    for (const [i, part] of parts.entries()) {
      if (i > 0) lines.push([]);
      lines.at(-1)?.push(...part);
    }
  }
  return lines;
}
