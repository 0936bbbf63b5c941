import { useRef, useState } from "react";
import type { OpenRequestItem } from "../../../src/contract/api/values.ts";
import { askForNotifications, wantsNotifications } from "../api/attention.ts";
import { inbox } from "../api/inbox.ts";
import { useKeys } from "../base/keys.ts";
import { cut, oneLine } from "../base/safe-text.ts";
import { useStore } from "../base/store.ts";
import { answerKeys } from "../requests/answer-keys.ts";
import { RequestCard } from "../requests/request-card.tsx";
import { useShownList } from "../requests/use-shown-list.ts";
import { address, Link } from "../router.tsx";
import { Button } from "../ui/button.tsx";
import { Empty, Screen, Skeleton } from "../ui/parts.tsx";

/** Everything that waits for an answer, in one place, the longest waiting first. */
export function InboxScreen() {
  const { items, state } = useStore(inbox);
  const within = useRef<HTMLUListElement>(null);
  const { list, choose, step, press } = useShownList(items, within);
  useKeys("Inbox", [
    { keys: "j", says: "Next", do: () => step(1) },
    { keys: "k", says: "Previous", do: () => step(-1) },
    ...answerKeys(press),
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
      ) : items.length === 0 && list.shown.length === 0 ? (
        <Empty icon="check" title="Nobody waits for you">
          When an agent asks for permission or has a question, it stands here, whichever task it works on.
        </Empty>
      ) : (
        <ul className="inbox" ref={within}>
          {list.shown.map(({ key, item, over }) => (
            <InboxItem
              key={key}
              item={item}
              isCurrent={key === list.current}
              isOver={over}
              onChoose={() => choose(key)}
            />
          ))}
        </ul>
      )}
    </Screen>
  );
}

function InboxItem({
  item,
  isCurrent,
  isOver,
  onChoose,
}: {
  item: OpenRequestItem;
  isCurrent: boolean;
  isOver: boolean;
  onChoose: () => void;
}) {
  const { request } = item;
  if (request.type !== "permission_request" && request.type !== "question_request") return null;
  return (
    <li
      className={`panel inbox-item ${isCurrent ? "current" : ""}`}
      data-shown
      onFocus={onChoose}
      aria-current={isCurrent || undefined}
    >
      <p className="inbox-from">
        <Link
          className="inbox-task"
          to={`${address("runs", item.run_id)}?${new URLSearchParams({ request: item.pending_id })}`}
        >
          {cut(oneLine(item.title), 120)}
        </Link>
        <span className="muted">
          {item.agent} · {item.project}
        </span>
      </p>
      <RequestCard asked={{ ...item, request }} isCurrent={isCurrent} isOver={isOver} hasNumbers />
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
