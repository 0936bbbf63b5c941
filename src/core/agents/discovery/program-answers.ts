import { statSync } from "node:fs";

/**
 * What programs said of themselves, such as their version. An answer holds until the file is another one, so that a server asks
 * each program only once.
 */
export class ProgramAnswers<T> {
  readonly #answers = new Map<string, { mark: string; answer: Promise<T> }>();

  /** `what` tells apart several answers of one program, for instance in different environments. */
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
