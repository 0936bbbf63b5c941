import { useEffect, useRef, useState } from "react";
import type { OpenRequestItem } from "../../../src/contract/api/values.ts";
import { askForNotifications, wantsNotifications } from "../api/attention.ts";
import { inbox, requestKey } from "../api/inbox.ts";
import { useKeys } from "../base/keys.ts";
import { cut, oneLine } from "../base/safe-text.ts";
import { useStore } from "../base/store.ts";
import { address, Link } from "../router.tsx";
import { Button } from "../ui/button.tsx";
import { Empty, Screen, Skeleton } from "../ui/parts.tsx";
import { RequestCard } from "./request-card.tsx";

/** Everything that waits for an answer, in one place, the longest waiting first. */
export function InboxScreen() {
  const { items, state } = useStore(inbox);
  const [at, setAt] = useState(0);
  const here = Math.min(at, Math.max(items.length - 1, 0));
  const list = useRef<HTMLUListElement>(null);
  const current = () => list.current?.children[here];
  useEffect(() => {
    current()?.scrollIntoView({ block: "nearest" });
  }, [here]);
  const press = (what: string) => current()?.querySelector<HTMLElement>(what)?.click();
  useKeys("Inbox", [
    { keys: "j", says: "Next", do: () => setAt(Math.min(here + 1, items.length - 1)) },
    { keys: "k", says: "Previous", do: () => setAt(Math.max(here - 1, 0)) },
    { keys: "a", says: "Allow once", do: () => press("[data-do=allow]") },
    { keys: "A", says: "Allow always", do: () => press("[data-do=always]") },
    { keys: "d", says: "Deny, with a reason", do: () => press("[data-do=deny]") },
    { keys: "Enter", says: "Open its session", do: () => press(".inbox-task") },
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => ({
      keys: String(n),
      says: `Choose answer ${n}`,
      do: () => press(`[data-choice="${n}"]`),
    })),
  ]);
  return (
    <Screen title="Inbox" count={items.length} actions={<Notify />}>
      {state === "loading" ? (
        <Skeleton lines={5} />
      ) : items.length === 0 ? (
        <Empty icon="check" title="Nobody waits for you">
          When an agent asks for permission or has a question, it stands here, whichever task it works on.
        </Empty>
      ) : (
        <ul className="inbox" ref={list}>
          {items.map((item, i) => (
            <InboxItem key={requestKey(item)} item={item} current={i === here} onChoose={() => setAt(i)} />
          ))}
        </ul>
      )}
    </Screen>
  );
}

function InboxItem({ item, current, onChoose }: { item: OpenRequestItem; current: boolean; onChoose: () => void }) {
  const { request } = item;
  if (request.type !== "permission_request" && request.type !== "question_request") return null;
  return (
    <li
      className={`panel inbox-item ${current ? "current" : ""}`}
      onFocus={onChoose}
      aria-current={current || undefined}
    >
      <p className="inbox-from">
        <Link className="inbox-task" to={address("runs", item.run_id)}>
          {cut(oneLine(item.title), 120)}
        </Link>
        <span className="muted">
          {item.agent} · {item.project}
        </span>
      </p>
      <RequestCard asked={{ ...item, request }} keys={current} />
    </li>
  );
}

function Notify() {
  const [on, setOn] = useState(wantsNotifications);
  if (!("Notification" in window) || on) return null;
  return (
    <Button kind="quiet" onClick={() => void askForNotifications(true).then(setOn)}>
      Notify me when this tab is hidden
    </Button>
  );
}
