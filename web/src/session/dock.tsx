import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { OpenRequestItem } from "../../../src/contract/api/values.ts";
import { waitingFor } from "../../../src/contract/sessions/session-state.ts";
import type { OpenRequest } from "../../../src/contract/sessions/transcript.ts";
import { inbox } from "../api/inbox.ts";
import { useKeys } from "../base/keys.ts";
import { useStore } from "../base/store.ts";
import { answerKeys } from "../requests/answer-keys.ts";
import { type AskedRequest, RequestCard } from "../requests/request-card.tsx";
import { useShownList } from "../requests/use-shown-list.ts";
import { address, Link, usePlace } from "../router.tsx";
import { Composer } from "./composer/composer.tsx";
import { Prompts } from "./composer/prompts.ts";
import { Queue } from "./composer/queue.tsx";
import { Resend } from "./composer/resend.tsx";
import type { Conversation } from "./conversation.ts";

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

/** One after the other, as the agent asked. */
function Requests({ conversation }: { conversation: Conversation }) {
  const { folded, detail, version } = useStore(conversation.view);
  const known = useStore(inbox, ({ items }) => items.filter(({ run_id }) => run_id === conversation.run));
  const cwd = detail?.cwd ?? "";
  // The map is changed in place: its version says when.
  const open = useMemo(
    () => waitingFor(folded.transcript.state).map((request) => askedOf(conversation.run, request, cwd, known)),
    [conversation, folded, version, cwd, known],
  );
  const within = useRef<HTMLElement>(null);
  const { list, choose, press } = useShownList(open, within);
  useWanted(list.shown, choose);
  useKeys("Session", answerKeys(press));
  const first = list.shown.find(({ key }) => key === list.current);
  if (first === undefined) return null;
  const more = list.shown.length - 1;
  return (
    <section className="dock-requests" ref={within} data-shown aria-label="The agent waits for you">
      <RequestCard key={first.key} asked={first.item} isOver={first.over} />
      {more > 0 && <p className="muted">{more} more after this one.</p>}
    </section>
  );
}

/** Whoever comes from one request finds that one here, not the oldest: their next key is meant for it. */
function useWanted(shown: readonly { key: string; item: AskedRequest }[], choose: (key: string) => void): void {
  const wanted = usePlace().query.get("request");
  const found = shown.find(({ item }) => item.pending_id === wanted)?.key;
  useLayoutEffect(() => {
    if (found !== undefined) choose(found);
  }, [found]);
}

function askedOf(run: string, request: OpenRequest, cwd: string, known: readonly OpenRequestItem[]): AskedRequest {
  const item = known.find(({ pending_id }) => pending_id === request.pendingId);
  const more = item === undefined ? {} : { at: item.at, ...(item.rule === undefined ? {} : { rule: item.rule }) };
  return { run_id: run, pending_id: request.pendingId, cwd, request, ...more };
}
