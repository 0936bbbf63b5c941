import { useEffect, useState } from "react";
import { inbox } from "../api/inbox.ts";
import { useKeys } from "../base/keys.ts";
import { useStore } from "../base/store.ts";
import { RequestCard } from "../inbox/request-card.tsx";
import { address, Link } from "../router.tsx";
import { Composer } from "./composer.tsx";
import type { Conversation } from "./conversation.ts";
import { Prompts } from "./prompts.ts";
import { Queue } from "./queue.tsx";
import { Resend } from "./resend.tsx";

/** Below the conversation: what the agent waits for, what waits for the agent, and the place to write. */
export function Dock({ conversation }: { conversation: Conversation }) {
  const [prompts] = useState(() => new Prompts(conversation.run));
  useEffect(() => {
    const { rows, transcript } = conversation.view.get().folded;
    const shown = rows.flatMap((row) => (row.kind === "item" && row.item.kind === "user" ? [row.item.promptId] : []));
    for (const promptId of [...shown, ...transcript.queue.map((prompt) => prompt.promptId)]) prompts.drop(promptId);
    return conversation.onEvents((events) => prompts.seen(events));
  }, [conversation, prompts]);
  const { detail } = useStore(conversation.view);
  return (
    <div className="dock">
      <Requests conversation={conversation} />
      <Queue conversation={conversation} prompts={prompts} />
      {detail?.next && (
        <p className="notice">
          <span>This conversation went on.</span>
          <Link className="button" to={address("runs", detail.next)}>
            Go to its next run
          </Link>
        </p>
      )}
      <Composer conversation={conversation} prompts={prompts} />
      <Resend conversation={conversation} />
    </div>
  );
}

function Requests({ conversation }: { conversation: Conversation }) {
  const { folded, detail, version } = useStore(conversation.view);
  const known = useStore(inbox, ({ items }) => items.filter(({ run_id }) => run_id === conversation.run));
  void version; // the map is changed in place
  const open = [...folded.transcript.requests.values()];
  const [first] = open;
  const press = (what: string) => document.querySelector<HTMLElement>(`.dock ${what}`)?.click();
  useKeys("Session", [
    { keys: "a", says: "Allow once", do: () => press("[data-do=allow]") },
    { keys: "A", says: "Allow always", do: () => press("[data-do=always]") },
    { keys: "d", says: "Deny, with a reason", do: () => press("[data-do=deny]") },
  ]);
  if (first === undefined) return null;
  const more = open.length - 1;
  const item = known.find(({ pending_id }) => pending_id === first.pendingId);
  const asked = {
    run_id: conversation.run,
    pending_id: first.pendingId,
    cwd: detail?.info.cwd ?? "",
    request: first,
    ...(item === undefined ? {} : { at: item.at, ...(item.rule === undefined ? {} : { rule: item.rule }) }),
  };
  return (
    <section className="dock-requests" aria-label="The agent waits for you">
      <RequestCard key={first.pendingId} asked={asked} />
      {more > 0 && <p className="muted">{more} more after this one.</p>}
    </section>
  );
}
