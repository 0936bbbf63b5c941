import { textOf } from "../../../src/contract/words/content.ts";
import { printable } from "../base/safe-text.ts";
import type { Row } from "./rows.ts";

/** What was said and done, to paste elsewhere. */
export function asMarkdown(rows: readonly Row[]): string {
  return rows.flatMap(partsOf).map(printable).join("\n\n");
}

function partsOf(row: Row): string[] {
  if (row.kind === "request") {
    const what =
      row.request.type === "permission_request" ? row.request.permissionTitle : (row.request.message ?? "Question");
    return [`> ${what}: ${row.resolved?.outcome ?? "open"}`];
  }
  if (row.kind !== "item") return [];
  const { item } = row;
  switch (item.kind) {
    case "user":
      return [`## You\n\n${textOf(item.content)}`];
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
