import type { TranscriptItem } from "../../../contract/sessions/transcript.ts";
import { textOf } from "../../../contract/words/content.ts";

/** Enough to go on with, and not so much that it fills the window before the work begins. */
const LIMIT = 24_000;
const ITEM_LIMIT = 4000;

/**
 * An earlier conversation in words, for an agent that can't load it: what was said and done, the latest in full measure and
 * the oldest left out first. Tool output is left out altogether; the files tell what came of it.
 */
export function retell(items: readonly TranscriptItem[], limit = LIMIT): string {
  const told: string[] = [];
  let length = 0;
  for (const item of items.toReversed()) {
    const line = lineOf(item);
    if (line === undefined) continue;
    length += line.length;
    if (length > limit) {
      told.unshift("[earlier parts are left out]");
      break;
    }
    told.unshift(line);
  }
  if (told.length === 0) return "";
  return `This goes on from an earlier conversation that you have no memory of. What was said and done in it:\n\n${told.join("\n\n")}\n\n[end of the earlier conversation; the workspace is as it was left]\n`;
}

function lineOf(item: TranscriptItem): string | undefined {
  switch (item.kind) {
    case "user":
      return `User: ${shortened(textOf(item.content))}`;
    case "message":
      return item.parentToolCallId === undefined ? `You: ${shortened(item.text)}` : undefined;
    case "tool":
      return `You used ${item.tool.toolName}: ${shortened(item.tool.toolTitle, 300)} (${item.tool.toolStatus})`;
    default:
      return undefined;
  }
}

/** The beginning says what it is about, the end what came of it. */
function shortened(text: string, limit = ITEM_LIMIT): string {
  const whole = text.trim();
  if (whole.length <= limit) return whole;
  const half = Math.floor(limit / 2);
  return `${whole.slice(0, half)}\n[…]\n${whole.slice(-half)}`;
}
