/** How a stretch of text is meant. */
export interface Look {
  strong?: true;
  emphasis?: true;
  code?: true;
  /** An address, behind the words that link to it. */
  address?: true;
}

export interface Span {
  text: string;
  look: Look;
}

interface Found {
  /** How many characters of the text it is. */
  length: number;
  spans: Span[];
}

/** What is begun and not closed after so many characters was not meant as a mark. It also bounds the work on hostile text. */
const REACH = 500;

/**
 * The marks inside one line of Markdown, as far as it came. What may still become a mark is `rest`, and comes again with more of
 * the line; of `final` text nothing is left. A mark that is never closed is text. `before` is the character before it all. With
 * `keepMarks` they are shown too: where there are no colours they say it.
 */
export function inline(
  text: string,
  { final = true, before = "", keepMarks = false } = {},
): {
  spans: Span[];
  rest: string;
} {
  const spans: Span[] = [];
  let at = 0;
  while (at < text.length) {
    const plain = PLAIN.exec(text.slice(at, at + REACH))?.[0] ?? "";
    if (plain !== "") {
      add(spans, [{ text: plain, look: {} }]);
      at += plain.length;
      continue;
    }
    const ahead = text.slice(at, at + REACH);
    const found = markAt(ahead, text[at - 1] ?? before, keepMarks);
    const isBegun = found === undefined && !final && ahead.length < REACH;
    if (isBegun && mayBecomeMark(ahead, text[at - 1] ?? before)) return { spans, rest: ahead };
    const { length, spans: more } =
      found ?? asText(ahead.slice(0, /[`*_]/.test(ahead.charAt(0)) ? runAt(ahead, 0) : 1));
    add(spans, more);
    at += length;
  }
  return { spans, rest: "" };
}

const PLAIN = /^[^\\`*_[!<]+/;
/** Several of the same sign are one mark, or none. */
function runAt(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && text[end] === text[at]) end += 1;
  return end - at;
}

const asText = (text: string): Found => ({ length: text.length, spans: [{ text, look: {} }] });

function add(spans: Span[], more: readonly Span[]): void {
  for (const span of more) {
    const last = spans.at(-1);
    if (last !== undefined && sameLook(last.look, span.look))
      spans[spans.length - 1] = { ...last, text: last.text + span.text };
    else spans.push(span);
  }
}

const sameLook = (a: Look, b: Look) =>
  a.strong === b.strong && a.emphasis === b.emphasis && a.code === b.code && a.address === b.address;

/** The mark that the text begins with, if all of it is there. */
function markAt(text: string, before: string, keepMarks: boolean): Found | undefined {
  switch (text[0]) {
    case "\\":
      return /^\\[!-/:-@[-`{-~]/.test(text) ? { length: 2, spans: [{ text: text.charAt(1), look: {} }] } : undefined;
    case "`":
      return codeAt(text, keepMarks);
    case "*":
    case "_":
      return emphasisAt(text, before, keepMarks);
    case "<": {
      const [whole, address] = /^<((?:https?|mailto):[^<>\s]+)>/.exec(text) ?? [];
      return whole === undefined || address === undefined
        ? undefined
        : { length: whole.length, spans: link("", address) };
    }
    default: {
      const [whole, words = "", address = ""] = LINK.exec(text) ?? [];
      return whole === undefined ? undefined : { length: whole.length, spans: link(words, address) };
    }
  }
}

const LINK = /^!?\[((?:[^[\]\\]|\\.)*)\]\(<?((?:[^()\s<>]|\([^()\s<>]*\))*)>?(?:\s+(?:"[^"]*"|'[^']*'))?\)/;

/** Where a link leads is always said: its words may say otherwise. */
function link(words: string, address: string): Span[] {
  const shown = inline(words).spans;
  const said = shown.map(({ text }) => text).join("");
  if (said === "" || said === address) return [{ text: address, look: { address: true } }];
  return [...shown, { text: " ", look: {} }, { text: `(${address})`, look: { address: true } }];
}

function codeAt(text: string, keepMarks: boolean): Found | undefined {
  const ticks = runAt(text, 0);
  const end = closingTicks(text, ticks, ticks);
  if (end === undefined) return undefined;
  const inside = text.slice(ticks, end);
  const mark = keepMarks ? text.slice(0, ticks) : "";
  const code = !keepMarks && /^ .*\S.* $/.test(inside) ? inside.slice(1, -1) : inside;
  return { length: end + ticks, spans: [{ text: `${mark}${code}${mark}`, look: { code: true } }] };
}

/** Where exactly so many backticks stand next. */
function closingTicks(text: string, from: number, ticks: number): number | undefined {
  for (const match of text.slice(from).matchAll(/`+/g)) if (match[0].length === ticks) return from + match.index;
  return undefined;
}

const looks: readonly Look[] = [{}, { emphasis: true }, { strong: true }, { strong: true, emphasis: true }];

function emphasisAt(text: string, before: string, keepMarks: boolean): Found | undefined {
  const mark = text.slice(0, runAt(text, 0));
  const look = looks[mark.length];
  if (look === undefined || !canOpen(mark, before, text.charAt(mark.length))) return undefined;
  for (let at = mark.length; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === "\\") at += 1;
    else if (sign === "`") {
      const length = runAt(text, at);
      at = (closingTicks(text, at + length, length) ?? at) + length - 1;
    } else if (sign === mark[0]) {
      const length = runAt(text, at);
      const closes = length === mark.length && canClose(mark, text.charAt(at - 1), text.charAt(at + length));
      if (closes) return { length: at + length, spans: emphasised(text.slice(mark.length, at), mark, look, keepMarks) };
      at += length - 1;
    }
  }
  return undefined;
}

function emphasised(inside: string, mark: string, look: Look, keepMarks: boolean): Span[] {
  const spans = inline(inside, { keepMarks }).spans.map((span) => ({ ...span, look: { ...span.look, ...look } }));
  return keepMarks ? [{ text: mark, look }, ...spans, { text: mark, look }] : spans;
}

/** Names have underscores and figures are multiplied: inside of a word only two stars are a mark. */
const canOpen = (mark: string, before: string, after: string): boolean =>
  !/^\s?$/.test(after) && (mark === "**" || !/[\p{L}\p{N}_*]/u.test(before));

const canClose = (mark: string, before: string, after: string): boolean =>
  !/\s/.test(before) && (mark === "**" || !/[\p{L}\p{N}]/u.test(after));

/** Whether more of the line could make a mark of what the text begins with. */
function mayBecomeMark(text: string, before: string): boolean {
  switch (text[0]) {
    case "\\":
      return text.length === 1;
    case "`":
      return true;
    case "*":
    case "_": {
      const mark = text.slice(0, runAt(text, 0));
      if (mark === text) return true;
      return mark.length < looks.length && canOpen(mark, before, text.charAt(mark.length));
    }
    case "<":
      return /^<(?:[a-z]{0,6}|(?:https?|mailto):[^<>\s]*)$/.test(text);
    default:
      return /^(?:!|!?\[(?:[^[\]\\]|\\.)*(?:\\|\](?:\([^()]*(?:\([^()]*\)?[^()]*)?)?)?)$/.test(text);
  }
}
