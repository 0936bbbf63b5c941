import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { phaseOf } from "../../../src/contract/sessions/session-state.ts";
import { useKeys } from "../base/keys.ts";
import { useStore } from "../base/store.ts";
import { flatten } from "../transcript/flat.ts";
import { RowView } from "../transcript/row-view.tsx";
import { Button } from "../ui/button.tsx";
import { Guard } from "../ui/guard.tsx";
import { Skeleton } from "../ui/parts.tsx";
import type { Conversation } from "./conversation.ts";

/** Near enough to the end to be kept there. */
const AT_END = 60;

/** Only what is looked at is in the page. New lines keep the end in sight; who scrolls up is left alone. */
export function TranscriptList({ conversation, goTo }: { conversation: Conversation; goTo: number }) {
  const { folded, version, firstSeq, loadingEarlier, lost } = useStore(conversation.view);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => flatten(folded.rows, opened), [version, folded, opened]);
  const box = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    getItemKey: (i) => rows[i]?.key ?? i,
    estimateSize: (i) => estimate(rows[i]?.part ? rows[i].part.end - rows[i].part.start : 0),
    overscan: 3,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: AT_END,
  });
  const [atEnd, setAtEnd] = useState(true);
  useEffect(() => {
    conversation.isAtEnd = () => list.isAtEnd(AT_END);
  }, [conversation, list]);
  const follows = useRef(goTo === 0);
  const askedBefore = useRef(0);
  // Not only a scroll moves the end: a line that turns out shorter or longer does too.
  useEffect(() => {
    if (box.current === null) return;
    const now = isAtEnd(box.current);
    setAtEnd(now);
    follows.current ||= now;
    // What doesn't fill the list can't be scrolled, so nobody would ever ask for what is before it. Once: it may be refused.
    const { scrollHeight, clientHeight } = box.current;
    if (lost) askedBefore.current = 0;
    else if (scrollHeight <= clientHeight && firstSeq > 1 && askedBefore.current !== firstSeq && rows.length > 0) {
      askedBefore.current = firstSeq;
      void conversation.loadEarlier();
    }
  });
  // A message that was cut has other parts when its beginning is there.
  useEffect(() => {
    if (follows.current) list.scrollToEnd();
  }, [firstSeq]);
  useResize(box, () => follows.current && list.scrollToEnd());
  useOpening(goTo === 0, rows.length, () => list.scrollToEnd());

  const target = useGoTo(conversation, goTo);
  useEffect(() => {
    if (target === undefined) return;
    // Not every event has a line of its own: the one before it, or the first.
    list.scrollToIndex(
      Math.max(
        rows.findLastIndex(({ row }) => row.seq <= target),
        0,
      ),
      { align: "center" },
    );
  }, [target]);

  const onScroll = () => {
    const element = box.current;
    if (element === null) return;
    follows.current = isAtEnd(element);
    setAtEnd(follows.current);
    if (element.scrollTop < 600 && firstSeq > 1 && rows.length > 0) void conversation.loadEarlier();
  };
  const toggle = useCallback((key: string) => setOpened((now) => toggled(now, key)), []);
  const end = () => list.scrollToEnd();
  useKeys("Session", [
    { keys: "G", says: "To the end", do: end },
    { keys: "j", says: "Down", do: () => box.current?.scrollBy({ top: 120 }) },
    { keys: "k", says: "Up", do: () => box.current?.scrollBy({ top: -120 }) },
  ]);
  const phase = phaseOf(folded.transcript.state);
  const last = rows.length - 1;
  return (
    <div className="transcript-frame">
      <div
        className="transcript"
        ref={box}
        onScroll={onScroll}
        tabIndex={0}
        role="log"
        aria-label="Conversation"
        aria-live="off"
      >
        {loadingEarlier && (
          <div className="transcript-earlier">
            <Skeleton lines={2} />
          </div>
        )}
        <div className="transcript-all" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ key, index, start }) => {
            const flat = rows[index];
            if (flat === undefined) return null;
            return (
              <div
                key={key}
                ref={list.measureElement}
                data-index={index}
                className={`transcript-row ${flat.row.seq === target ? "target" : ""}`}
                style={{ transform: `translateY(${start}px)` }}
              >
                <Guard key={flat.key}>
                  <RowView
                    run={conversation.run}
                    flat={flat}
                    opened={opened}
                    toggle={toggle}
                    streaming={index === last && phase === "working"}
                  />
                </Guard>
              </div>
            );
          })}
        </div>
      </div>
      {!atEnd && (
        <Button className="to-end" icon="down" onClick={end}>
          To the end
        </Button>
      )}
    </div>
  );
}

/** As the page is now: the list hears of a scroll after us. */
const isAtEnd = ({ scrollHeight, clientHeight, scrollTop }: HTMLElement) =>
  scrollHeight - clientHeight - scrollTop <= AT_END;

const estimate = (characters: number) => (characters === 0 ? 36 : Math.min(1200, 24 + (characters / 90) * 21));

function toggled(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** The first look is at the end. */
function useOpening(wanted: boolean, count: number, toEnd: () => void): void {
  const done = useRef(false);
  useEffect(() => {
    if (done.current || count === 0) return;
    done.current = true;
    if (wanted) toEnd();
  }, [wanted, count, toEnd]);
}

/** What grows below the list takes from it: a request, a queue, a long draft. */
function useResize(box: { current: HTMLElement | null }, then: () => void): void {
  const latest = useRef(then);
  latest.current = then;
  useEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(() => latest.current());
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box]);
}

/** The event to show, once it is here. */
function useGoTo(conversation: Conversation, goTo: number): number | undefined {
  const [target, setTarget] = useState<number>();
  useEffect(() => {
    if (goTo <= 0) return;
    let wanted = true;
    void conversation.loadEarlier(goTo).then(() => {
      if (wanted) setTarget(goTo);
    });
    return () => {
      wanted = false;
    };
  }, [conversation, goTo]);
  return target;
}
