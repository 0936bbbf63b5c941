import type { Key } from "./keys.ts";

/** A line that is being typed. */
export interface Draft {
  readonly text: string;
  /** Characters before the cursor. */
  readonly cursor: number;
}

export const emptyDraft: Draft = { text: "", cursor: 0 };

export function edit(draft: Draft, key: Key): Draft {
  const characters = Array.from(draft.text);
  const { cursor } = draft;
  switch (key.key) {
    case "text":
      return insert(characters, cursor, Array.from(key.text));
    case "backspace":
      return cursor === 0 ? draft : put(characters.toSpliced(cursor - 1, 1), cursor - 1);
    case "delete":
      return put(characters.toSpliced(cursor, 1), cursor);
    case "left":
      return { ...draft, cursor: Math.max(cursor - 1, 0) };
    case "right":
      return { ...draft, cursor: Math.min(cursor + 1, characters.length) };
    case "home":
      return { ...draft, cursor: 0 };
    case "end":
      return { ...draft, cursor: characters.length };
    case "clear":
      return put(characters.slice(cursor), 0);
    case "kill":
      return put(characters.slice(0, cursor), cursor);
    case "word": {
      const kept = Array.from(
        characters
          .slice(0, cursor)
          .join("")
          .replace(/\S+\s*$/, ""),
      );
      return put([...kept, ...characters.slice(cursor)], kept.length);
    }
    default:
      return draft;
  }
}

const put = (characters: readonly string[], cursor: number): Draft => ({ text: characters.join(""), cursor });

const insert = (characters: readonly string[], cursor: number, added: readonly string[]): Draft =>
  put(characters.toSpliced(cursor, 0, ...added), cursor + added.length);
