import { useState } from "react";
import { createStore, useStore } from "../base/store.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

/** A question of the page to its reader, before something that can't be taken back. */
interface OpenQuestion {
  title: string;
  text: string;
  yes: string;
  danger?: boolean;
  /** Asks for words too: several lines, or one of this type, which the browser checks and Enter sends. */
  input?: {
    label: string;
    placeholder?: string;
    required?: boolean;
    value?: string;
    line?: "text" | "number" | "url";
  };
  done: (answer: string | undefined) => void;
}

const asked = createStore<OpenQuestion | undefined>(undefined);

/** The words given ("" where none were asked for), or `undefined` when the reader thought better of it. */
export const ask = (question: Omit<OpenQuestion, "done">): Promise<string | undefined> =>
  new Promise((done) => asked.set({ ...question, done }));

export function Asking() {
  const question = useStore(asked);
  return question === undefined ? null : <AskDialog key={question.title + question.text} question={question} />;
}

function AskDialog({ question: { title, text, yes, danger, input, done } }: { question: OpenQuestion }) {
  const [words, setWords] = useState(input?.value ?? "");
  const end = (answer: string | undefined) => {
    asked.set(undefined);
    done(answer);
  };
  const ready = input?.required !== true || words.trim() !== "";
  return (
    <Dialog title={title} onClose={() => end(undefined)}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) end(words.trim());
        }}
      >
        {text !== "" && <p className="pre-line">{text}</p>}
        {input && (
          <label className="field">
            <span>{input.label}</span>
            {input.line === undefined ? (
              <textarea
                data-focus
                rows={4}
                value={words}
                placeholder={input.placeholder}
                onChange={(event) => setWords(event.target.value)}
                onKeyDown={(event) => {
                  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && ready) end(words.trim());
                }}
              />
            ) : (
              <input
                data-focus
                type={input.line}
                min={input.line === "number" ? 1 : undefined}
                value={words}
                placeholder={input.placeholder}
                onChange={(event) => setWords(event.target.value)}
              />
            )}
          </label>
        )}
        <footer>
          <Button onClick={() => end(undefined)}>Back</Button>
          <Button
            kind={danger ? "danger" : "main"}
            type="submit"
            disabled={!ready}
            data-focus={input === undefined || undefined}
          >
            {yes}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
