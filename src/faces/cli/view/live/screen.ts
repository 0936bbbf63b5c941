import { columnsOf } from "../../../../lib/command/columns.ts";
import type { Paper, TextStyle } from "../lines/scroll.ts";
import type { Footer } from "../terminal/sheet.ts";
import { Flow } from "../text/flow.ts";

export interface Terminal {
  write(text: string): void;
  columns(): number;
  rows(): number;
}

/**
 * A terminal as a scroll of text with a footer at its end. The footer goes away before anything is written and comes back
 * below it, in one write, so that nothing flickers. The last lines of the scroll can still be changed until others follow.
 */
export class Screen implements Paper {
  readonly #terminal: Terminal;
  #out = "";
  /** The scroll's last line while it has no end yet. */
  readonly #flow = new Flow();
  readonly #begun = new Set<string>();
  #tail: { id: string; lines: readonly string[] }[] = [];
  #footer: Footer = { lines: [] };
  /** The footer on the screen, and how many rows its first is above the cursor. */
  #drawn: { footer: Footer; rows: number } | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Text that goes on in the open line. One column less than there is: a full row would leave the cursor in no man's land. */
  stream(text: string, style: TextStyle = unstyled): void {
    if (text === "") return;
    this.#leaveFooter();
    this.#tail = [];
    this.#out += this.#flow.add(text, style, Math.max(this.#terminal.columns() - 1, 1));
  }

  lines(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.endLine();
    this.#leaveFooter();
    this.#tail = [];
    this.#put(lines);
  }

  /** Lines under a name: as long as nothing else follows, the same name takes their place. */
  keep(id: string, lines: readonly string[], final: boolean): void {
    const at = this.#tail.findIndex((entry) => entry.id === id);
    const isReachable = at !== -1 && this.#canReach(at);
    // Told once that it began; what changes out of reach is told at its end.
    if (!isReachable && !final && this.#begun.has(id)) return;
    if (final) this.#begun.delete(id);
    else this.#begun.add(id);
    this.endLine();
    this.#leaveFooter();
    if (!isReachable) {
      this.#put(lines);
      this.#tail.push({ id, lines });
      return;
    }
    const rest = this.#tail.slice(at);
    this.#out += `${up(countLines(rest))}\r${CLEAR_BELOW}`;
    this.#tail[at] = { id, lines };
    for (const entry of this.#tail.slice(at)) this.#put(entry.lines);
  }

  endLine(): void {
    if (this.#flow.column > 0) this.stream("\n");
  }

  /** One empty line, wherever the scroll stands. */
  gap(): void {
    this.endLine();
    if (!this.#flow.blank) this.stream("\n");
  }

  setFooter(footer: Footer): void {
    this.#footer = footer;
  }

  /** Writes what was collected; with `footer`, draws that too. */
  flush(footer: boolean): void {
    if (footer && !this.#isDrawn()) {
      this.#leaveFooter();
      this.#drawFooter();
    }
    if (this.#out === "") return;
    this.#terminal.write(this.#out);
    this.#out = "";
  }

  /** The terminal has another size: what is on it was moved by the terminal, so it is left alone. */
  resized(): void {
    this.#tail = [];
    this.#flow.forget();
    this.#leaveFooter();
  }

  #put(lines: readonly string[]): void {
    for (const line of lines) this.#out += `${line}\n`;
    this.#flow.blank = lines.at(-1) === "";
  }

  /** Beyond the top of the screen nothing can be changed. */
  #canReach(at: number): boolean {
    const entries = this.#tail.slice(at);
    const width = this.#terminal.columns();
    // A line that the terminal broke takes more rows than we would go up.
    if (entries.some(({ lines }) => lines.some((line) => columnsOf(line) > width))) return false;
    return countLines(entries) < this.#terminal.rows() - 1;
  }

  #leaveFooter(): void {
    if (this.#drawn === undefined) return;
    this.#out += `${up(this.#drawn.rows)}\r`;
    this.#drawn = undefined;
    const column = this.#flow.column % this.#terminal.columns();
    // A line that ends exactly at the edge continues on the footer's first row.
    this.#out += column > 0 ? `${up(1)}${right(column)}${CLEAR_BELOW}` : CLEAR_BELOW;
  }

  #drawFooter(): void {
    const { lines, cursor } = clip(this.#footer, this.#terminal.rows() - 1);
    if (lines.length === 0) return;
    if (this.#flow.column > 0) this.#out += "\n";
    this.#out += lines.join("\n");
    const last = lines.length - 1;
    if (cursor !== undefined) this.#out += `${up(last - cursor.row)}\r${right(cursor.column)}`;
    this.#drawn = { footer: this.#footer, rows: cursor?.row ?? last };
  }

  #isDrawn(): boolean {
    const { lines, cursor } = this.#footer;
    if (this.#drawn === undefined) return lines.length === 0;
    const { footer } = this.#drawn;
    return (
      footer.lines.join("\n") === lines.join("\n") &&
      footer.cursor?.row === cursor?.row &&
      footer.cursor?.column === cursor?.column
    );
  }
}

const unstyled: TextStyle = { paint: (text) => text, hang: "" };

/** What doesn't fit is left out above the last lines, where the ways to answer are. */
function clip(footer: Footer, rows: number): Footer {
  const { lines, cursor } = footer;
  const max = Math.max(rows, 4);
  if (lines.length <= max) return footer;
  const hidden = lines.length - max + 1;
  const kept = [...lines.slice(0, max - 4), `(${hidden} lines more; enlarge the window)`, ...lines.slice(-3)];
  return { lines: kept, cursor: cursor && { ...cursor, row: Math.max(cursor.row - hidden + 1, 0) } };
}

const countLines = (entries: readonly { lines: readonly string[] }[]) =>
  entries.reduce((sum, { lines }) => sum + lines.length, 0);
const up = (rows: number) => (rows > 0 ? `\x1b[${rows}A` : "");
const right = (columns: number) => (columns > 0 ? `\x1b[${columns}C` : "");
const CLEAR_BELOW = "\x1b[J";
