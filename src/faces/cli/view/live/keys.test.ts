import { describe, expect, test } from "vitest";
import { type Draft, edit, emptyDraft } from "./draft.ts";
import { type Key, KeyReader } from "./keys.ts";

const text = (text: string): Key => ({ key: "text", text });

const cases: Record<string, [data: string[], keys: Key[]]> = {
  letters: [["a"], [text("a")]],
  "several at once": [["abc\r"], [text("abc"), { key: "enter" }]],
  "Ctrl-C and Ctrl-D": [["\x03\x04"], [{ key: "interrupt" }, { key: "eof" }]],
  arrows: [["\x1b[A\x1b[D\x1bOC"], [{ key: "up" }, { key: "left" }, { key: "right" }]],
  "escape alone": [["\x1b"], [{ key: "escape" }]],
  "escape twice": [["\x1b\x1b"], [{ key: "escape" }, { key: "escape" }]],
  "Alt-a is no a": [["\x1ba"], []],
  "a function key is nothing": [["\x1b[15~"], []],
  "a paste is one text": [["\x1b[200~a\rb\x1b[201~"], [{ key: "text", text: "a\nb", pasted: true }]],
  "a paste in pieces": [
    ["\x1b[200~al", "low\x1b[2", "01~\x03"],
    [{ key: "text", text: "allow", pasted: true }, { key: "interrupt" }],
  ],
  "an empty paste": [["\x1b[200~\x1b[201~"], []],
  "letters beyond ASCII": [["é漢🚀"], [text("é漢🚀")]],
  "a stray control character": [["\x00a"], [text("a")]],
};

describe("KeyReader", () => {
  test.each(Object.entries(cases))("%s", (_, [data, keys]) => {
    const reader = new KeyReader();
    expect(data.flatMap((part) => reader.read(part))).toEqual(keys);
  });
});

describe("edit", () => {
  const typed = (...keys: string[]): Draft =>
    keys.reduce<Draft>((draft, key) => edit(draft, isName(key) ? { key } : text(key)), emptyDraft);
  const isName = (key: string): key is Exclude<Key["key"], "text"> =>
    /^(backspace|delete|left|right|home|end|clear|kill|word|up|escape)$/.test(key);

  test.each<[string[], Draft]>([
    [["hello"], { text: "hello", cursor: 5 }],
    [["hello", "backspace"], { text: "hell", cursor: 4 }],
    [["backspace"], { text: "", cursor: 0 }],
    [["ac", "left", "b"], { text: "abc", cursor: 2 }],
    [["abc", "home", "delete"], { text: "bc", cursor: 0 }],
    [["abc", "home", "left", "end", "right"], { text: "abc", cursor: 3 }],
    [["one two", "word"], { text: "one ", cursor: 4 }],
    [["one two", "left", "clear"], { text: "o", cursor: 0 }],
    [["one two", "home", "right", "kill"], { text: "o", cursor: 1 }],
    [["🚀x", "backspace", "backspace"], { text: "", cursor: 0 }],
    [["abc", "up", "escape"], { text: "abc", cursor: 3 }],
  ])("%j", (keys, draft) => {
    expect(typed(...keys)).toEqual(draft);
  });
});
