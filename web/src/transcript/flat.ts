import type { TranscriptItem } from "../../../src/contract/sessions/transcript.ts";
import { type MessagePart, messageParts } from "../text/message-parts.ts";
import type { Row } from "./rows.ts";

/** A line of the list as it is drawn: a row, or one part of a long message. */
export interface FlatRow {
  key: string;
  row: Row;
  /** How deep in sub-agents. */
  depth: number;
  part: MessagePart | undefined;
  /** Of a tool that has a sub-agent below it. */
  children: number;
}

type TextItem = Extract<TranscriptItem, { text: string }>;
const known = new WeakMap<TextItem, { parts: MessagePart[]; length: number; shown: boolean }>();

/** What is hidden in a closed sub-agent is not there. `open` holds the keys of what the reader opened. */
export function flatten(rows: readonly Row[], open: ReadonlySet<string>): FlatRow[] {
  const flat: FlatRow[] = [];
  const tools = new Map<string, { depth: number; isOpen: boolean; at: FlatRow | undefined }>();
  for (const row of rows) {
    // What the policy allows needs no line: the tool beside it has one.
    if (row.kind === "request" && row.resolved?.outcome === "allowed" && row.resolved.by === "policy") continue;
    const parent = parentOf(row);
    const above = parent === undefined ? undefined : tools.get(parent);
    if (above?.at) above.at.children += 1;
    const hidden = above !== undefined && !above.isOpen;
    const depth = above === undefined ? 0 : above.depth + 1;
    const key = String(row.seq);
    if (row.kind === "item" && row.item.kind === "message") {
      if (!hidden) addParts(flat, row, row.item, key, depth, open.has(`${key}+`));
      continue;
    }
    const made: FlatRow = { key, row, depth, part: undefined, children: 0 };
    if (!hidden) flat.push(made);
    if (row.kind === "item" && row.item.kind === "tool") {
      tools.set(row.item.tool.toolCallId, {
        depth,
        isOpen: !hidden && open.has(`${key}/`),
        at: hidden ? above?.at : made,
      });
    }
  }
  return flat;
}

function addParts(flat: FlatRow[], row: Row, item: TextItem, key: string, depth: number, showCut: boolean): void {
  for (const [i, part] of partsOf(item, showCut).entries()) {
    flat.push({ key: i === 0 ? key : `${key}.${i}`, row, depth, part, children: 0 });
  }
}

/** Kept per message: while it grows only its last part is looked at again. */
function partsOf(item: TextItem, showCut: boolean): MessagePart[] {
  const before = known.get(item);
  const { length } = item.text;
  if (before !== undefined && before.length === length && before.shown === showCut) return before.parts;
  const grows = before !== undefined && length > before.length && before.shown === showCut;
  // A cut word may go on: its beginning stands before it.
  const firstCut = grows ? before.parts.findIndex(({ cut }) => cut) : 0;
  const reuse = grows ? before.parts.slice(0, firstCut === -1 ? undefined : firstCut) : [];
  const parts = messageParts(item.text, reuse, showCut);
  known.set(item, { parts, length, shown: showCut });
  return parts;
}

function parentOf(row: Row): string | undefined {
  if (row.kind !== "item") return undefined;
  const { item } = row;
  if (item.kind === "tool") return item.tool.parentToolCallId;
  return item.kind === "message" || item.kind === "reasoning" ? item.parentToolCallId : undefined;
}
