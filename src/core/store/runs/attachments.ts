import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import type { Content } from "../../../contract/events.ts";
import { diskError, errnoOf } from "../../../lib/files/disk-error.ts";
import { Blobs } from "../blobs.ts";
import type { Home } from "../home.ts";

export const MAX_ATTACHMENT_BYTES = 10 * 1024 * 1024;
export const MAX_ATTACHMENTS = 10;
/** What nobody has sent by then, nobody will. */
const KEEP_MS = 24 * 60 * 60_000;

const folderOf = (home: Home) => join(home.root, "attachments");

/** Keeps what a person wants to send until a prompt names it. */
export function stageAttachment(home: Home, data: Uint8Array, now: number): string {
  const folder = folderOf(home);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    forgetOld(folder, now);
  } catch (error) {
    throw diskError("keep an attachment", folder, error);
  }
  return new Blobs(folder).put(data);
}

/** Copies what a prompt names into the run's own blobs: from then on the run needs nobody else's. */
export function adoptAttachments(home: Home, blobs: Blobs, content: readonly Content[], earlier?: Blobs): void {
  const hashes = new Set(content.flatMap((part) => (part.type === "text" ? [] : [part.sha256])));
  if (hashes.size > MAX_ATTACHMENTS) {
    throw new AppError("usage.invalid", `prompt: ${hashes.size} attachments are too many; at most ${MAX_ATTACHMENTS}`);
  }
  for (const sha256 of hashes) {
    if (blobs.has(sha256)) continue;
    const source = [new Blobs(folderOf(home)), earlier].find((from) => from?.has(sha256));
    if (source === undefined) {
      throw new AppError("usage.invalid", `prompt: attachment ${sha256.slice(0, 12)}… is not here; send it again`);
    }
    blobs.put(source.read(sha256));
  }
}

function forgetOld(folder: string, now: number): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    try {
      if (existsSync(path) && statSync(path).mtimeMs < now - KEEP_MS) rmSync(path, { force: true });
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw error;
    }
  }
}
