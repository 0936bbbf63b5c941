import { useState } from "react";
import type { Content, QueuedPrompt } from "../../../../src/contract/events.ts";
import { phaseOf } from "../../../../src/contract/sessions/session-state.ts";
import { textOf, wordsOf } from "../../../../src/contract/words/content.ts";
import { server } from "../../api/client.ts";
import { cut, oneLine } from "../../base/safe-text.ts";
import { useStore } from "../../base/store.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { attempt } from "../../ui/toast.tsx";
import type { Conversation } from "../conversation.ts";
import type { Prompts } from "./prompts.ts";

/** Prompts that wait for their turn, and those that are still on their way. */
export function Queue({ conversation, prompts }: { conversation: Conversation; prompts: Prompts }) {
  const { folded, version, detail } = useStore(conversation.view);
  const sent = useStore(prompts.sent);
  const [editing, setEditing] = useState<string>();
  void version;
  const { queue, state } = folded.transcript;
  const can = folded.latest.can ?? detail?.can ?? [];
  const ids = queue.map(({ promptId }) => promptId);
  const put = (prompt_ids: string[], edited?: { prompt_id: string; content: QueuedPrompt["content"] }) =>
    attempt(
      server.call("PUT /runs/{run}/queue", {
        params: { run: conversation.run },
        body: { prompt_ids, ...(edited === undefined ? {} : { edited }) },
      }),
    );
  const now = async (prompt: QueuedPrompt) => {
    if (await put(ids.filter((id) => id !== prompt.promptId))) prompts.send(prompt.content, "steer");
  };
  if (queue.length === 0 && sent.length === 0) return null;
  return (
    <ol className="queue" aria-label="Prompts that wait">
      {queue.map((prompt, i) => (
        <li key={prompt.promptId} className="queue-item">
          {editing === prompt.promptId ? (
            <Edit
              text={wordsOf(prompt.content)}
              onDone={(text) => {
                setEditing(undefined);
                if (text !== undefined)
                  void put(ids, { prompt_id: prompt.promptId, content: withWords(prompt.content, text) });
              }}
            />
          ) : (
            <>
              <span className="queue-number">{i + 1}</span>
              <span className="grow one-line">{cut(oneLine(textOf(prompt.content)), 300)}</span>
              {can.includes("steer") && phaseOf(state) === "working" && (
                <IconButton icon="send" label="Send now" onClick={() => void now(prompt)} />
              )}
              <IconButton icon="edit" label="Edit" onClick={() => setEditing(prompt.promptId)} />
              <IconButton icon="up" label="Earlier" disabled={i === 0} onClick={() => void put(moved(ids, i, i - 1))} />
              <IconButton
                icon="down"
                label="Later"
                disabled={i === queue.length - 1}
                onClick={() => void put(moved(ids, i, i + 1))}
              />
              <IconButton
                icon="trash"
                label="Remove"
                onClick={() => void put(ids.filter((id) => id !== prompt.promptId))}
              />
            </>
          )}
        </li>
      ))}
      {sent.map(({ promptId, content, state: how, problem }) => (
        <li key={promptId} className={`queue-item ${how}`}>
          <span className="grow">
            <span className="one-line">{cut(oneLine(textOf(content)), 300)}</span>
            {how === "failed" && <small className="removed">Not sent: {problem}</small>}
          </span>
          {how === "sending" ? (
            <small>sending…</small>
          ) : (
            <>
              <Button onClick={() => prompts.again(promptId)}>Send again</Button>
              <IconButton icon="trash" label="Discard" onClick={() => prompts.drop(promptId)} />
            </>
          )}
        </li>
      ))}
    </ol>
  );
}

const isText = ({ type }: Content) => type === "text";

/** Images and files stay with it. */
const withWords = (content: readonly Content[], text: string): Content[] => [
  { type: "text", text },
  ...content.filter((part) => !isText(part)),
];

function moved(ids: readonly string[], from: number, to: number): string[] {
  const next = ids.toSpliced(from, 1);
  return next.toSpliced(to, 0, ids[from] ?? "");
}

function Edit({ text, onDone }: { text: string; onDone: (text: string | undefined) => void }) {
  const [words, setWords] = useState(text);
  return (
    <form
      className="queue-edit"
      onSubmit={(event) => {
        event.preventDefault();
        onDone(words.trim() === "" ? undefined : words);
      }}
    >
      <textarea
        autoFocus
        rows={3}
        aria-label="Prompt"
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onDone(undefined);
        }}
      />
      <Button type="submit" kind="main">
        Keep
      </Button>
      <Button onClick={() => onDone(undefined)}>Back</Button>
    </form>
  );
}
