/** A key as it was pressed. Pasted text comes as one `text` that is marked, so that it never counts as an answer by key. */
export type Key =
  | { key: "text"; text: string; pasted?: true }
  | { key: "enter" | "escape" | "backspace" | "delete" | "left" | "right" | "up" | "down" | "home" | "end" }
  | { key: "pageup" | "pagedown" }
  | { key: "interrupt" | "suspend" | "detach" | "eof" | "clear" | "word" | "kill" };

const names: Readonly<Record<string, Exclude<Key["key"], "text">>> = {
  "\r": "enter",
  "\n": "enter",
  "\x7f": "backspace",
  "\b": "backspace",
  "\x01": "home",
  "\x03": "interrupt",
  "\x04": "eof",
  "\x05": "end",
  "\x0b": "kill",
  "\x15": "clear",
  "\x17": "word",
  "\x1a": "suspend",
  "\x1b": "escape",
  "\x1d": "detach",
  "\x1b[A": "up",
  "\x1b[B": "down",
  "\x1b[C": "right",
  "\x1b[D": "left",
  "\x1b[H": "home",
  "\x1b[F": "end",
  "\x1bOA": "up",
  "\x1bOB": "down",
  "\x1bOC": "right",
  "\x1bOD": "left",
  "\x1bOH": "home",
  "\x1bOF": "end",
  "\x1b[1~": "home",
  "\x1b[4~": "end",
  "\x1b[3~": "delete",
  "\x1b[5~": "pageup",
  "\x1b[6~": "pagedown",
};

const PASTE_BEGIN = "\x1b[200~";
const PASTE_END = "\x1b[201~";

/** Terminals send keys as bytes; a paste may come in several reads, so what was begun is kept. */
export class KeyReader {
  #paste: string | undefined;

  read(data: string): Key[] {
    const keys: Key[] = [];
    let rest = data;
    while (rest !== "") {
      if (this.#paste !== undefined) {
        rest = this.#readPaste(rest, keys);
        continue;
      }
      const token = TOKEN.exec(rest)?.[0] ?? rest;
      rest = rest.slice(token.length);
      if (token === PASTE_BEGIN) this.#paste = "";
      else keys.push(...keyOf(token));
    }
    return keys;
  }

  #readPaste(data: string, keys: Key[]): string {
    const whole = this.#paste + data;
    const end = whole.indexOf(PASTE_END);
    if (end === -1) {
      this.#paste = whole;
      return "";
    }
    this.#paste = undefined;
    const text = whole.slice(0, end).replace(/\r\n?/g, "\n");
    if (text !== "") keys.push({ key: "text", text, pasted: true });
    return whole.slice(end + PASTE_END.length);
  }
}

/** An escape sequence, one control character, or a stretch of text. */
const TOKEN = /^(?:\x1b\[[0-?]*[ -/]*[@-~]|\x1bO[A-Z]|\x1b(?=$|\x1b)|\x1b[^\x1b]|[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+)/u;

/** Keys we have no use for (Alt-x, function keys) are nothing. */
function keyOf(token: string): Key[] {
  const name = names[token];
  if (name !== undefined) return [{ key: name }];
  return /^[\x00-\x1f\x7f]/.test(token) ? [] : [{ key: "text", text: token }];
}
