import type { Content } from "../../../src/contract/events.ts";
import { printable } from "../base/safe-text.ts";
import type { Row } from "./rows.ts";

/** What was said and done, to paste elsewhere. */
export function asMarkdown(rows: readonly Row[]): string {
  return rows.flatMap(textOf).map(printable).join("\n\n");
}

function textOf(row: Row): string[] {
  if (row.kind === "request") {
    const what =
      row.request.type === "permission_request" ? row.request.permissionTitle : (row.request.message ?? "Question");
    return [`> ${what}: ${row.resolved?.outcome ?? "open"}`];
  }
  if (row.kind !== "item") return [];
  const { item } = row;
  switch (item.kind) {
    case "user":
      return [`## You\n\n${contentText(item.content)}`];
    case "message":
      return [item.text];
    case "tool":
      return [`- ${item.tool.toolTitle} (${item.tool.toolStatus})`];
    case "error":
      return [`**Error:** ${item.error.message}`];
    default:
      return [];
  }
}

export const contentText = (content: readonly Content[]): string =>
  content
    .map((part) => (part.type === "text" ? part.text : `[${part.type}: ${part.name ?? part.mimeType}]`))
    .join("\n");
