/**
 * A long message is drawn in parts, each a row of the list: only what is looked at is read as markdown, and while it grows
 * only its end is drawn again. Parts end between blocks; a block without end is cut where it must be.
 */
export interface MessagePart {
  start: number;
  end: number;
  /** The line that opened the code block this part begins in, or "". */
  fence: string;
  /** The rest of a word that nobody reads: shown on demand. */
  cut?: true;
}

/** A part is closed at the next gap between blocks beyond this … */
const WANTED = 1500;
/** … and cut here, gap or not. */
const LONGEST = 6000;

/** The parts of a text. Those of a text it begins with can be handed in: only the last one is looked at again. */
export function messageParts(text: string, known: readonly MessagePart[] = [], showCut = false): MessagePart[] {
  const parts = known.slice(0, -1);
  const from = known.at(-1);
  let at = from?.start ?? 0;
  let fence = from?.fence ?? "";
  while (at < text.length) {
    const part = nextPart(text, at, fence);
    parts.push({ start: at, end: part.end, fence });
    at = part.end;
    fence = part.fence;
    const word = showCut ? at : endOfWord(text, at);
    if (word - at > LONGEST) {
      parts.push({ start: at, end: word, fence, cut: true });
      at = word;
    }
  }
  return parts;
}

function nextPart(text: string, start: number, fenceBefore: string): { end: number; fence: string } {
  const limit = start + LONGEST;
  let fence = fenceBefore;
  let at = start;
  let gap = false;
  while (at < text.length) {
    const newline = text.indexOf("\n", at);
    const end = newline === -1 ? text.length : newline + 1;
    if (end > limit) return { end: at > start ? at : hardEnd(text, start, limit), fence };
    const line = text.slice(at, end);
    // A new block, and enough before it: here one part ends and the next begins.
    if (gap && fence === "" && at - start >= WANTED && beginsBlock(line)) return { end: at, fence };
    fence = fenceAfter(fence, line);
    gap = line.trim() === "";
    at = end;
  }
  return { end: at, fence };
}

/** Not in the middle of a word, unless there is nothing else. */
function hardEnd(text: string, start: number, limit: number): number {
  const space = text.lastIndexOf(" ", limit);
  return space > start ? space + 1 : limit;
}

/** Lists, tables and indented text may belong to what stands before the gap. */
const beginsBlock = (line: string) => !/^(?:\s|[-+*] |\d+[.)] |\||>)/.test(line);

function fenceAfter(open: string, line: string): string {
  const marker = /^ {0,3}(`{3,}|~{3,})(.*)/.exec(line);
  if (marker === null) return open;
  if (open === "") return line.trimEnd();
  const mark = /(`{3,}|~{3,})/.exec(open)?.[1] ?? "";
  return marker[1]?.startsWith(mark) && marker[2]?.trim() === "" ? "" : open;
}

function endOfWord(text: string, at: number): number {
  if (at === 0 || /\s/.test(text[at - 1] ?? " ")) return at;
  const rest = /\s/g;
  rest.lastIndex = at;
  return rest.exec(text)?.index ?? text.length;
}

/**
 * A part as markdown of its own. It begins with a line that is cut off again: a mere slice is a window into the whole message
 * as it is now, and whoever keeps it (a row that was drawn) keeps all of that.
 */
export function partText(text: string, { start, end, fence }: MessagePart): string {
  const own = `${fence}\n${text.slice(start, end)}`;
  return fence === "" ? own.slice(1) : own;
}
