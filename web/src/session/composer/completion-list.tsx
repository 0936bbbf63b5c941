import { useEffect, useState } from "react";
import { server } from "../../api/client.ts";
import { cut, oneLine } from "../../base/safe-text.ts";
import { useStore } from "../../base/store.ts";
import type { Conversation } from "../conversation.ts";
import type { Completion } from "./completion.ts";

export interface Candidate {
  word: string;
  says: string;
}

/** Commands are known; files are asked for as one types. */
export function useCandidates(conversation: Conversation, completion: Completion | undefined): readonly Candidate[] {
  const { folded, detail } = useStore(conversation.view);
  const [files, setFiles] = useState<readonly Candidate[]>([]);
  const typed = completion?.kind === "file" ? completion.typed : undefined;
  useEffect(() => {
    setFiles([]);
    if (typed === undefined) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const given = { params: { run: conversation.run }, query: { text: typed, limit: 8 } };
      server
        .call("GET /runs/{run}/workspace/search", given, { signal: stop.signal })
        .then(({ paths }) => setFiles(paths.map((word) => ({ word, says: "" }))))
        .catch(() => {}); // no list of files is no reason to disturb who types
    }, 120);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [conversation, typed]);
  if (completion === undefined) return [];
  if (completion.kind === "file") return files;
  const commands = folded.latest.commands ?? detail?.commands ?? [];
  return commands
    .filter(({ name }) => name.toLowerCase().startsWith(completion.typed.toLowerCase()))
    .slice(0, 8)
    .map(({ name, description = "", inputHint }) => ({
      word: name,
      says: inputHint ? `${inputHint} · ${description}` : description,
    }));
}

export function CompletionList({
  candidates,
  chosen,
  onTake,
}: {
  candidates: readonly Candidate[];
  chosen: number;
  onTake: (word: string) => void;
}) {
  return (
    <div className="completions" id="completions" role="listbox" aria-label="Suggestions">
      {candidates.map(({ word, says }, i) => (
        <button
          key={word}
          type="button"
          role="option"
          tabIndex={-1}
          aria-selected={i === chosen}
          className="command-item"
          onMouseDown={(event) => {
            event.preventDefault();
            onTake(word);
          }}
        >
          <span className="mono one-line">{cut(oneLine(word), 120)}</span>
          <small className="one-line">{cut(oneLine(says), 100)}</small>
        </button>
      ))}
    </div>
  );
}
