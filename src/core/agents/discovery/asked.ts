import { statSync } from "node:fs";

/** What a program said of itself holds until it is another program: a long-lived process asks each only once. */
export class Asked<T> {
  readonly #answers = new Map<string, { mark: string; answer: Promise<T> }>();

  /** `what`: which of its answers, for instance in which environment. */
  about(program: string, what: string, ask: () => Promise<T>): Promise<T> {
    const key = `${program} ${what}`;
    const mark = markOf(program);
    const known = this.#answers.get(key);
    if (known !== undefined && known.mark === mark && mark !== "") return known.answer;
    const answer = ask();
    this.#answers.set(key, { mark, answer });
    // A failure is no answer.
    answer.catch(() => this.#answers.delete(key));
    return answer;
  }
}

function markOf(program: string): string {
  const found = statSync(program, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.ino} ${found.size} ${found.mtimeMs}`;
}
