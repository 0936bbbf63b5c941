import { AppError } from "../../../../contract/errors.ts";
import type { Content } from "../../../../contract/events.ts";
import type { OpenOptions } from "../../protocol.ts";
import type { Json } from "../../read.ts";

/** A part of a prompt as a block of the Messages API. */
export async function contentBlock(part: Content, options: OpenOptions): Promise<Json> {
  if (part.type === "text") return { type: "text", text: part.text };
  const kind = blockOf(part);
  if (kind === undefined) throw new AppError("command.unsupported", `Claude Code can't read ${part.mimeType}`);
  const bytes = Buffer.from(await options.readBlob(part.sha256));
  if (kind === "text") return { type: "text", text: `${part.name ?? "attachment"}:\n\n${bytes.toString("utf8")}` };
  return { type: kind, source: { type: "base64", media_type: part.mimeType, data: bytes.toString("base64") } };
}

function blockOf({ type, mimeType }: Content & { mimeType: string }): "image" | "document" | "text" | undefined {
  if (type === "image") return "image";
  if (mimeType === "application/pdf") return "document";
  return mimeType.startsWith("text/") || mimeType === "application/json" ? "text" : undefined;
}
