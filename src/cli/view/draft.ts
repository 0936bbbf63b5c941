import type { Key } from "./keys.ts";

/** A line that is being typed. */
export interface Draft {
  readonly text: string;
  /** Characters before the cursor. */
  readonly cursor: number;
}

export const emptyDraft: Draft = { text: "", cursor: 0 };

export function edit(draft: Draft, key: Key): Draft {
  const characters = [...draft.text];
  const { cursor } = draft;
  switch (key.key) {
    case "text":
      return put(characters.toSpliced(cursor, 0, ...key.text), cursor + [...key.text].length);
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
      const before = characters
        .slice(0, cursor)
        .join("")
        .replace(/\S+\s*$/, "");
      return put([...before, ...characters.slice(cursor)], [...before].length);
    }
    default:
      return draft;
  }
}

const put = (characters: readonly string[], cursor: number): Draft => ({ text: characters.join(""), cursor });
