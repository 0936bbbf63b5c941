import { useEffect, useRef, useState } from "react";
import { useStore } from "../base/store.ts";
import { address, go } from "../router.tsx";
import { asMarkdown } from "../transcript/as-markdown.ts";
import { ask } from "../ui/ask.tsx";
import { IconButton } from "../ui/button.tsx";
import { copyText } from "../ui/parts.tsx";
import type { Conversation } from "./conversation.ts";

/** What one needs now and then. */
export function Menu({ conversation, onEnd }: { conversation: Conversation; onEnd: (() => void) | undefined }) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const { detail, folded } = useStore(conversation.view);
  useEffect(() => {
    if (!open) return;
    const close = (event: Event) => box.current?.contains(event.target as Node) || setOpen(false);
    addEventListener("pointerdown", close);
    return () => removeEventListener("pointerdown", close);
  }, [open]);
  const { run } = conversation;
  const download = (file: string) => `/api/v1/runs/${encodeURIComponent(run)}/files/${file}?download=true`;
  const jump = async () => {
    const answer = await ask({
      title: "Jump to an event",
      text: `This run has events 1 to ${conversation.view.get().lastSeq}.`,
      yes: "Jump",
      input: { label: "Number", required: true, line: "number" },
    });
    const seq = Number(answer);
    if (seq > 0) go(`${address("runs", run)}?event=${Math.round(seq)}`);
  };
  const items: readonly { name: string; do: () => void }[] = [
    { name: "Jump to an event…", do: () => void jump() },
    { name: "Go to the beginning", do: () => go(`${address("runs", run)}?event=1`) },
    { name: "Copy the conversation", do: () => void copyText(asMarkdown(folded.rows)) },
    { name: "Copy the link", do: () => void copyText(location.origin + address("runs", run)) },
    ...(onEnd === undefined ? [] : [{ name: "End the session…", do: onEnd }]),
    { name: "Copy the agent's session id", do: () => void copyText(detail?.session_id ?? "") },
  ];
  return (
    <div
      className="menu"
      ref={box}
      onKeyDown={(event) => {
        if (event.key === "Escape") setOpen(false);
      }}
    >
      <IconButton icon="more" label="More" aria-expanded={open} onClick={() => setOpen(!open)} />
      {open && (
        <div className="menu-list">
          {items.map((item) => (
            <button
              key={item.name}
              type="button"
              onClick={() => {
                setOpen(false);
                item.do();
              }}
            >
              {item.name}
            </button>
          ))}
          <a href={download("output.md")}>Download the answer</a>
          <a href={download("events.jsonl")}>Download all events</a>
        </div>
      )}
    </div>
  );
}
