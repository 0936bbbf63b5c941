import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { Content } from "../../../../src/contract/events.ts";
import { phaseOf } from "../../../../src/contract/sessions/session-state.ts";
import { server } from "../../api/client.ts";
import { useKeys } from "../../base/keys.ts";
import { storage } from "../../base/storage.ts";
import { useStore } from "../../base/store.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { attempt } from "../../ui/toast.tsx";
import type { Conversation } from "../conversation.ts";
import { type Completion, completionAt, insertAt } from "./completion.ts";
import { CompletionList, useCandidates } from "./completion-list.tsx";
import type { Prompts } from "./prompts.ts";

interface Draft {
  text: string;
  files: Content[];
}

const none: Draft = { text: "", files: [] };

/** Where one writes. What is written survives leaving the page. */
export function Composer({ conversation, prompts }: { conversation: Conversation; prompts: Prompts }) {
  const { folded, detail } = useStore(conversation.view);
  const phase = phaseOf(folded.transcript.state);
  const name = `draft.${conversation.run}`;
  const [draft, setDraft] = useState<Draft>(() => ({ ...none, ...storage.read(name, none) }));
  const [completion, setCompletion] = useState<Completion>();
  const [chosen, setChosen] = useState(0);
  const input = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const can = folded.latest.can ?? detail?.can ?? [];
  const working = phase === "working" || phase === "waiting";
  const candidates = useCandidates(conversation, completion);
  useKeys("Session", [{ keys: "c", says: "Write", do: () => input.current?.focus() }]);
  useEffect(() => {
    const element = input.current;
    if (element === null) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight + 2, 260)}px`;
  }, [draft.text]);

  const change = (next: Draft) => {
    setDraft(next);
    storage.write(name, next.text === "" && next.files.length === 0 ? undefined : next);
  };
  const look = () => {
    const element = input.current;
    if (element === null) return;
    setCompletion(completionAt(element.value, element.selectionStart));
    setChosen(0);
  };
  const send = (delivery: "queue" | "steer") => {
    const text = draft.text.trim();
    if (text === "" && draft.files.length === 0) return;
    prompts.send([...(text === "" ? [] : [{ type: "text" as const, text }]), ...draft.files], delivery);
    change(none);
    setCompletion(undefined);
  };
  const take = (word: string) => {
    if (completion === undefined) return;
    const { text, cursor } = insertAt(draft.text, completion, word);
    change({ ...draft, text });
    setCompletion(undefined);
    requestAnimationFrame(() => input.current?.setSelectionRange(cursor, cursor));
    input.current?.focus();
  };
  const attach = async (files: Iterable<File>) => {
    for (const file of files) {
      await attempt(
        upload(file).then((content) =>
          setDraft((now) => {
            const next = { ...now, files: [...now.files, content] };
            storage.write(name, next);
            return next;
          }),
        ),
      );
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (completion !== undefined && candidates.length > 0) {
      if (event.key === "ArrowDown") setChosen(Math.min(chosen + 1, candidates.length - 1));
      else if (event.key === "ArrowUp") setChosen(Math.max(chosen - 1, 0));
      else if (event.key === "Enter" || event.key === "Tab") take(candidates[chosen]?.word ?? "");
      else if (event.key === "Escape") setCompletion(undefined);
      else return;
      return event.preventDefault();
    }
    if (event.key === "Escape") return input.current?.blur();
    if (event.key !== "Enter" || event.shiftKey) return;
    // Under a thumb Enter is a new line; the button sends.
    if (!event.ctrlKey && !event.metaKey && !matchMedia("(pointer: fine)").matches) return;
    event.preventDefault();
    send((event.ctrlKey || event.metaKey) && can.includes("steer") && working ? "steer" : "queue");
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    void attach(files);
  };
  const refused =
    phase === "closed" && detail?.resumable.ok === false ? (detail.resumable.why ?? "It can't go on.") : "";
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send("queue");
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        void attach(event.dataTransfer.files);
      }}
    >
      {refused !== "" && <p className="notice warn">{refused}</p>}
      {completion !== undefined && candidates.length > 0 && (
        <CompletionList candidates={candidates} chosen={chosen} onTake={take} />
      )}
      {draft.files.length > 0 && (
        <div className="row wrap">
          {draft.files.map((file, i) => (
            <span key={i} className="chip">
              {file.type === "text" ? "text" : (file.name ?? file.mimeType)}
              <IconButton
                icon="cross"
                label="Remove"
                onClick={() => change({ ...draft, files: draft.files.toSpliced(i, 1) })}
              />
            </span>
          ))}
        </div>
      )}
      <div className="composer-line">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            void attach([...(event.target.files ?? [])]);
            event.target.value = "";
          }}
        />
        <IconButton icon="clip" label="Attach images or files" onClick={() => picker.current?.click()} />
        <textarea
          ref={input}
          rows={1}
          aria-label="Prompt"
          role="combobox"
          aria-expanded={completion !== undefined && candidates.length > 0}
          aria-controls="completions"
          aria-autocomplete="list"
          placeholder={hint(phase, can)}
          value={draft.text}
          onChange={(event) => {
            change({ ...draft, text: event.target.value });
            look();
          }}
          onSelect={look}
          onBlur={() => setTimeout(() => setCompletion(undefined), 150)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        {working && can.includes("steer") && (
          <Button
            onClick={() => send("steer")}
            disabled={draft.text.trim() === ""}
            title="Ctrl Enter: into the turn under way"
          >
            Steer
          </Button>
        )}
        <Button kind="main" type="submit" icon="send" disabled={draft.text.trim() === "" && draft.files.length === 0}>
          {working ? "Queue" : phase === "closed" ? "Go on" : "Send"}
        </Button>
      </div>
    </form>
  );
}

function hint(phase: string, can: readonly string[]): string {
  if (phase === "closed") return "Go on…";
  if (phase === "working" || phase === "waiting")
    return can.includes("steer") ? "Enter queues, Ctrl Enter steers" : "For the next turn…";
  return "What next? @ files, / commands";
}

async function upload(file: File): Promise<Content> {
  const body = new Uint8Array(await file.arrayBuffer());
  const headers = { "content-type": file.type === "" ? "application/octet-stream" : file.type };
  return server.call("POST /attachments", { query: { name: file.name }, body }, { headers });
}
