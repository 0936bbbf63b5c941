import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { diskError } from "../../../lib/files/disk-error.ts";

interface Syncs {
  current: Promise<void>;
  next: Promise<void> | undefined;
}

const syncing = new Map<string, Syncs>();
const syncedFolders = new Set<string>();

/**
 * What was appended to the file before this call survives a power loss when it resolves. Callers that come while a sync is
 * under way share the next one, so many messages cost few syncs.
 */
export function syncShared(path: string): Promise<void> {
  const syncs = syncing.get(path);
  if (syncs === undefined) return begin(path);
  // The one under way may have begun before our bytes were there.
  const again = () => begin(path);
  syncs.next ??= syncs.current.then(again, again);
  return syncs.next;
}

function begin(path: string): Promise<void> {
  const syncs: Syncs = { current: syncFile(path), next: undefined };
  syncing.set(path, syncs);
  const forget = () => {
    if (syncs.next === undefined) syncing.delete(path);
  };
  syncs.current.then(forget, forget);
  return syncs.current;
}

/** The file's bytes, and its name: that is in the folder, whose own name is in the folder above. */
export async function syncFile(path: string): Promise<void> {
  try {
    await sync(path);
    for (let folder = dirname(path), level = 0; level < 3; level += 1, folder = dirname(folder)) {
      if (syncedFolders.has(folder)) continue;
      await sync(folder);
      syncedFolders.add(folder);
    }
  } catch (error) {
    throw diskError("make durable", path, error);
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}
