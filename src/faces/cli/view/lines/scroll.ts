import type { EventOf, RecordedEvent } from "../../../../contract/events.ts";
import type { Page } from "../../../../lib/command/paint.ts";
import { printable } from "../../../../lib/text/printable.ts";
import { Markdown, type Piece } from "../text/markdown.ts";
import { renderEvent, renderResolved } from "./event-lines.ts";
import { renderPlan } from "./plan-lines.ts";
import { follow, followTool, noProgress } from "./progress.ts";
import { isEnded, renderTool } from "./tool-lines.ts";

/** How a paper that has columns shows a text. */
export type TextStyle = Omit<Piece, "text">;

/** What events are written on: a terminal that can still change its last lines, or a file that can't. */
export interface Paper {
  /** Text that goes on where the last text ended. */
  stream(text: string, style?: TextStyle): void;
  lines(lines: readonly string[]): void;
  /** The lines of a thing that changes until it is `final`. */
  keep(id: string, lines: readonly string[], final: boolean): void;
  /** One empty line, unless there is one. */
  gap(): void;
}

/** Events as they scroll by: text as it comes, a line per tool, everything else in lines of its own. */
export class Scroll {
  readonly #paper: Paper;
  readonly progress = noProgress();
  readonly #thinking: boolean;
  readonly #isRendered: boolean;
  /** What speaks at the moment; between two voices there is an empty line. */
  #voice = "";
  /** Said so far by the voice, while it is a message. */
  #said = "";
  #markdown: Markdown | undefined;
  /** Of a thought, all of which is dim, whatever its Markdown says. */
  #look: TextStyle["paint"] | undefined;

  /** Where nothing is rendered, what the agent said is there byte for byte. */
  constructor(paper: Paper, { thinking, render }: { thinking: boolean; render: boolean }) {
    this.#paper = paper;
    this.#thinking = thinking;
    this.#isRendered = render;
  }

  add(event: RecordedEvent, page: Page): void {
    const { plan, state } = this.progress;
    const request = event.type === "request_resolved" ? state.requests.get(event.pendingId) : undefined;
    follow(this.progress, event);
    if (ENDS_TALK.has(event.type)) this.settle();
    switch (event.type) {
      case "message_chunk":
      case "reasoning":
        return this.#speak(event, page);
      case "tool_call":
      case "tool_update":
        return this.#showTool(event, page);
      case "plan":
        return this.#lines("plan", renderPlan(event, plan, page));
      case "request_resolved":
        return this.#lines("work", renderResolved(event, request, page));
      case "user_message":
        return this.#lines(`prompt ${event.promptId}`, renderEvent(event, page));
      default:
        return this.#lines("work", renderEvent(event, page));
    }
  }

  /** What was held back of a message comes out: it is over, or somebody must see it now. */
  settle(): void {
    this.#put(this.#markdown?.end() ?? []);
  }

  #lines(voice: string, lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#turnTo(voice);
    this.#paper.lines(lines);
  }

  #turnTo(voice: string): void {
    if (voice === this.#voice) return;
    this.settle();
    this.#markdown = undefined;
    this.#paper.gap();
    this.#voice = voice;
    this.#said = "";
  }

  #showTool(event: EventOf<"tool_call"> | EventOf<"tool_update">, page: Page): void {
    const tool = followTool(this.progress.tools, event);
    if (tool === undefined) return;
    const ended = isEnded(tool.toolStatus);
    // Its output as it comes is not shown: most of it would only scroll by.
    const changed = event.type === "tool_call" || event.toolStatus !== undefined || event.toolTitle !== undefined;
    if (changed) {
      this.#turnTo("work");
      this.#paper.keep(tool.toolCallId, renderTool(tool, page), ended);
    }
    if (ended) this.progress.tools.delete(tool.toolCallId);
  }

  #speak(event: EventOf<"message_chunk">, { paint }: Page): void {
    // Subagents talk to their agent, not to the person: as quiet as a thought.
    const aside = event.type === "reasoning" || event.parentToolCallId !== undefined;
    if (aside && !this.#thinking) return;
    const voice = `${aside ? "aside" : "message"} ${event.messageId}`;
    const isNew = voice !== this.#voice;
    this.#turnTo(voice);
    if (isNew && this.#isRendered) this.#markdown = new Markdown(paint);
    this.#look = aside ? paint.dim : undefined;
    const text = this.#news(event);
    this.#said += text;
    const safe = printable(text);
    this.#put(this.#markdown?.add(safe) ?? [{ text: safe, paint: plain, hang: "" }]);
  }

  #put(pieces: readonly Piece[]): void {
    for (const { text, paint, ...style } of pieces) this.#paper.stream(text, { ...style, paint: this.#look ?? paint });
  }

  /** What this chunk adds. What was printed stays printed: a replacement that says otherwise is printed below it. */
  #news({ text, replace }: EventOf<"message_chunk">): string {
    if (this.#said === "") return text.replace(/^\s*\n/, "");
    if (!replace) return text;
    if (text.startsWith(this.#said)) return text.slice(this.#said.length);
    this.settle();
    this.#said = "";
    this.#paper.gap();
    return text;
  }
}

const plain = (text: string) => text;

const ENDS_TALK: ReadonlySet<RecordedEvent["type"]> = new Set([
  "complete",
  "permission_request",
  "question_request",
  "session_status",
]);
