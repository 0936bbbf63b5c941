import { plural } from "../../../../contract/words/figures.ts";
import { columnsOf, fit, wrap } from "../../../../lib/command/columns.ts";
import type { Page } from "../../../../lib/command/paint.ts";
import type { Key } from "../live/keys.ts";
import { type HeldKey, heldWords } from "./key-hold.ts";

/** Lines at the bottom of the screen, and where the cursor stands in them. */
export interface Footer {
  lines: string[];
  cursor?: { row: number; column: number };
}

/** What fills a screen: a head, a body that scrolls where there is not room for all of it, a foot. */
export interface Sheet {
  /** Of the body: another one begins at its top. */
  id: string;
  /** What a key would do something to: when it changes, keys rest. */
  asks: string;
  head: readonly string[];
  body: readonly string[];
  foot: readonly string[];
  /** The column of the cursor in the last line, where something is typed. */
  cursor?: number;
  /** There is more to it than could be shown. */
  isCut?: true;
  /** Said where some of it is still below: `before a yes`. */
  before?: string;
}

/** How far somebody has come with a body. */
export interface Reading {
  readonly top: number;
  /** So many lines from the first on were on the screen, none left out. */
  readonly seen: number;
  /** At another width it has other lines. */
  readonly width: number;
  /** All of it was on the screen, at whatever width. */
  readonly isWhole: boolean;
}

export const unread: Reading = { top: 0, seen: 0, width: 0, isWhole: false };

/** How much there is of a body, and of room for it. */
export interface Room {
  lines: number;
  rows: number;
  width: number;
}

/** What is on the screen, when it is drawn like this, has been seen. */
export function drawn(before: Reading, { lines, rows, width }: Room): Reading {
  const { seen, top, isWhole } = before.width === width ? before : { ...before, seen: 0 };
  const at = Math.max(Math.min(top, lines - rows), 0);
  const now = at <= seen ? Math.max(seen, Math.min(at + rows, lines)) : seen;
  return { top: at, seen: now, width, isWhole: isWhole || now >= lines };
}

/** Where a key leads to; `undefined` for keys that mean something else. Of a line that is typed, its ends are its own. */
export function scrolled(reading: Reading, key: Key, { lines, rows }: Room, isTyping: boolean): Reading | undefined {
  const page = Math.max(rows - 1, 1);
  const to = (top: number): Reading => ({ ...reading, top: Math.max(Math.min(top, lines - rows), 0) });
  switch (key.key) {
    case "up":
      return to(reading.top - 1);
    case "down":
      return to(reading.top + 1);
    case "pageup":
      return to(reading.top - page);
    case "pagedown":
      return to(reading.top + page);
    case "home":
      return isTyping ? undefined : to(0);
    case "end":
      return isTyping ? undefined : to(lines);
    default:
      return undefined;
  }
}

/** To the first line that was not seen yet. */
export const further = (reading: Reading): Reading => ({ ...reading, top: reading.seen });

/** How many rows the body has on a screen of so many. */
export function roomOf({ head, body, foot }: Sheet, { width }: Page, screen: number): Room {
  const free = Math.max(screen - head.length - foot.length, 1);
  return { lines: body.length, rows: body.length <= free ? body.length : Math.max(free - 1, 1), width };
}

/** The lines on the screen. What is above and below of the body is said. */
export function renderSheet(sheet: Sheet, { top, isWhole }: Reading, page: Page, screen: number): Footer {
  const { head, body, foot, cursor } = sheet;
  const { rows } = roomOf(sheet, page, screen);
  const before = isWhole ? undefined : sheet.before;
  const lines = [
    ...head,
    ...body.slice(top, top + rows),
    ...(rows < body.length ? [page.paint.dim(elsewhere(top, body.length - top - rows, before, page))] : []),
    ...foot,
  ];
  return cursor === undefined ? { lines } : { lines, cursor: { row: lines.length - 1, column: cursor } };
}

/** In as many words as there is room for. */
function elsewhere(above: number, below: number, before: string | undefined, { width, paint }: Page): string {
  const { more } = paint.marks;
  if (below <= 0) return fit(`${more} ${plural(above, "line")} above (PgUp)`, width, more);
  const isAbove = above === 0 ? "" : `${above} above, `;
  const words = [`${plural(below, "line")} below (PgDn)`, `${below} below (PgDn)`, `${below} below`];
  const ways = words.flatMap((way) => (before === undefined ? [way] : [`${way} ${before}`]));
  const fitting = [...ways, ...words].map((way) => `${more} ${isAbove}${way}`);
  return fitting.find((way) => columnsOf(way) <= width) ?? fit(fitting.at(-1) ?? "", width, more);
}

/** With what a held key will do, where the keys are named otherwise. */
export function withHeld(sheet: Sheet, held: HeldKey | undefined, { width, paint }: Page): Sheet {
  if (held === undefined) return sheet;
  const at = sheet.foot.length - (sheet.cursor === undefined ? 1 : 2);
  const words = paint.bold(fit(heldWords(held, paint.marks.more), width, paint.marks.more));
  return { ...sheet, foot: sheet.foot.with(at, words) };
}

/** What each key does. */
export function keysSheet(keys: readonly (readonly [key: string, does: string])[], { width, paint }: Page): Sheet {
  const body = keys.flatMap(([key, does]) => wrap(`${key}: ${does}`, width));
  const more = wrap(
    "What has just appeared takes keys after half a second without typing. A key that decides counts when no other follows for a moment, or with Enter at once.",
    width,
  );
  const foot = [paint.dim(fit("any key goes back", width))];
  return { id: "?", asks: "?", head: [paint.bold("Keys")], body: [...body, ...more], foot };
}
