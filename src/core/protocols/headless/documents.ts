import { type Line, MAX_LINE_BYTES } from "../../../lib/text/lines.ts";

/**
 * A JSON object that was printed over several lines, as the one line it stands for. Strings in JSON hold no line ends and its
 * members are indented, so it begins with a brace that is a line by itself, and ends with one.
 */
export class Documents {
  #held: string[] = [];
  #bytes = 0;

  take(line: Line): Line[] {
    if ("oversized" in line) return [...this.end(), line];
    const text = line.text.trimEnd();
    if (text === "{") return [...this.end(), ...this.#hold(text)];
    if (this.#held.length === 0) return [line];
    if (text.startsWith("{")) return [...this.end(), line]; // a line of its own: what was held was none
    return [...this.#hold(text), ...(text === "}" ? this.end() : [])];
  }

  /** What was begun and not ended. */
  end(): Line[] {
    const held = this.#held.join("\n");
    this.#held = [];
    this.#bytes = 0;
    return held === "" ? [] : [{ text: held }];
  }

  #hold(text: string): Line[] {
    this.#held.push(text);
    this.#bytes += Buffer.byteLength(text) + 1;
    if (this.#bytes <= MAX_LINE_BYTES) return [];
    const oversized = this.#bytes;
    this.#held = [];
    this.#bytes = 0;
    return [{ oversized }];
  }
}
