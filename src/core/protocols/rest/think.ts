/**
 * Some models write their thoughts into the answer, between <think> and </think> at its very start. Only there: an answer may
 * well be about these words.
 */
export interface ThinkState {
  readonly place: "start" | "thoughts" | "gap" | "answer";
  /** Text that may be the beginning of a mark. */
  readonly held: string;
}

export const atStart: ThinkState = { place: "start", held: "" };

export interface Said {
  reasoning: string;
  answer: string;
}

export function splitThoughts(state: ThinkState, text: string): readonly [ThinkState, Said] {
  if (state.place === "answer") return [state, { reasoning: "", answer: text }];
  const all = state.held + text;
  switch (state.place) {
    case "start": {
      const begun = all.trimStart();
      if (begun.startsWith(OPEN)) return splitThoughts({ place: "thoughts", held: "" }, begun.slice(OPEN.length));
      if (OPEN.startsWith(begun)) return [{ place: "start", held: all }, nothing];
      return [answering, { reasoning: "", answer: all }];
    }
    case "thoughts": {
      const end = all.indexOf(CLOSE);
      if (end === -1) {
        const held = heldBack(all);
        return [
          { place: "thoughts", held },
          { reasoning: all.slice(0, all.length - held.length), answer: "" },
        ];
      }
      const [next, said] = splitThoughts({ place: "gap", held: "" }, all.slice(end + CLOSE.length));
      return [next, { reasoning: all.slice(0, end), answer: said.answer }];
    }
    case "gap": {
      const answer = all.trimStart();
      return answer === "" ? [state, nothing] : [answering, { reasoning: "", answer }];
    }
  }
}

/** What was held back, once nothing more will come. */
export function restOf({ place, held }: ThinkState): Said {
  return place === "thoughts" ? { reasoning: held, answer: "" } : { reasoning: "", answer: held };
}

const OPEN = "<think>";
const CLOSE = "</think>";
const answering: ThinkState = { place: "answer", held: "" };
const nothing: Said = { reasoning: "", answer: "" };

/** The longest end of the text with which `</think>` may begin. */
function heldBack(text: string): string {
  const from = text.lastIndexOf("<");
  if (from === -1 || text.length - from >= CLOSE.length) return "";
  const tail = text.slice(from);
  return CLOSE.startsWith(tail) ? tail : "";
}
