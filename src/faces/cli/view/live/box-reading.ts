import type { Body } from "../../../../contract/events.ts";
import type { OpenRequest } from "../../../../contract/sessions/transcript.ts";
import type { Page } from "../../../../lib/command/paint.ts";
import { isCut, renderRequest, renderWhole, type Whole } from "../lines/request-lines.ts";
import {
  drawn,
  type Footer,
  further,
  type Reading,
  type Room,
  renderSheet,
  roomOf,
  type Sheet,
  scrolled,
  unread,
  withHeld,
} from "../terminal/sheet.ts";
import type { Focus } from "./keyboard.ts";
import type { Key } from "./keys.ts";
import { boxPage, boxSheet, frame } from "./request-box.ts";

/**
 * The request before a person, and how much of it was on the screen. First an excerpt, where there is one; from the first yes on,
 * and where not even that fits, all of it, as far as there is room.
 */
export class BoxReading {
  readonly #read: (body: Body) => string;
  #request: OpenRequest | undefined;
  #question: number | undefined;
  /** All of it is shown, page by page. */
  #isOpen = false;
  #reading: Reading = unread;
  #room: Room | undefined;
  #isTyping = false;
  #whole: { request: OpenRequest; width: number; whole: Whole } | undefined;
  #isRead = false;

  constructor(read: (body: Body) => string) {
    this.#read = read;
  }

  /** In so many rows at most. What is drawn counts as seen. */
  draw(focus: Focus, page: Page, rows: number): Footer {
    this.#begin(focus);
    const inner = boxPage(page);
    const { request, held, canRemember } = focus;
    const isBrief = !this.#isOpen && isCut(request, inner);
    const excerpt = boxSheet(focus, renderRequest(request, inner), inner, { isCut: isBrief, canRemember });
    const room = rows - FRAME;
    const hasRoom = excerpt.body.length + excerpt.foot.length <= room;
    if (this.#isOpen || !hasRoom) return this.#drawPage(focus, page, room);
    this.#isRead = !isBrief;
    return frame(renderSheet(withHeld(excerpt, held, inner), unread, inner, room), focus, page);
  }

  /** Whether all of it was on the screen. */
  isRead(request: OpenRequest): boolean {
    return this.#request === request && this.#isRead;
  }

  /** Whether the key leads elsewhere in it. */
  scroll(key: Key): boolean {
    const to = this.#room && scrolled(this.#reading, key, this.#room, this.#isTyping);
    this.#reading = to ?? this.#reading;
    return to !== undefined;
  }

  /** On to what was not seen yet. */
  more(): void {
    if (this.#isOpen || this.#room !== undefined) this.#reading = further(this.#reading);
    this.#isOpen = true;
  }

  #begin({ request, answering }: Focus): void {
    const question = answering.stage === "question" ? answering.index : undefined;
    if (this.#request !== request) this.#isOpen = false;
    if (this.#request !== request || this.#question !== question) this.#reading = unread;
    this.#request = request;
    this.#question = question;
    this.#room = undefined;
  }

  #drawPage(focus: Focus, page: Page, rows: number): Footer {
    const inner = boxPage(page);
    const { lines, isCut: isUnreadable } = this.#wholeOf(focus.request, inner);
    const sheet = boxSheet(focus, lines, inner, focus);
    const room = roomOf(sheet, inner, rows);
    this.#reading = drawn(this.#reading, room);
    this.#note(sheet, room);
    this.#isRead = this.#reading.isWhole && !isUnreadable;
    return frame(renderSheet(withHeld(sheet, focus.held, inner), this.#reading, inner, rows), focus, page);
  }

  #note({ cursor }: Sheet, room: Room): void {
    this.#isTyping = cursor !== undefined;
    this.#room = room.rows < room.lines ? room : undefined;
  }

  /** It may be many megabytes, and is drawn at every key. */
  #wholeOf(request: OpenRequest, page: Page): Whole {
    const known = this.#whole;
    if (known?.request === request && known.width === page.width) return known.whole;
    const whole = renderWhole(request, this.#read, page);
    this.#whole = { request, width: page.width, whole };
    return whole;
  }
}

/** The line above it. */
const FRAME = 1;
