import { closeSync } from "node:fs";
import { lastEventIn, offsetAfter } from "../../../core/store/events/event-bytes.ts";
import { lineSlices, openRegularFile } from "../../../lib/files/regular-file.ts";
import type { StreamClient } from "./client.ts";
import { frameControl, frameEvents } from "./frames.ts";
import type { JournalTail } from "./journal-tail.ts";

interface Group {
  types: ReadonlySet<string> | undefined;
  clients: Set<StreamClient>;
}

/** Those who watch one run live. What is new is made ready once for all who want the same of it. */
export class RunFeed {
  readonly tail: JournalTail;
  readonly #groups = new Map<string, Group>();

  constructor(tail: JournalTail) {
    this.tail = tail;
    tail.listen((lines) => this.#tell(lines));
  }

  /** From now on. The client has everything up to where the tail is. */
  add(client: StreamClient, types: ReadonlySet<string> | undefined): void {
    const key = types === undefined ? "" : [...types].sort().join();
    const group = this.#groups.get(key) ?? { types, clients: new Set() };
    this.#groups.set(key, group);
    group.clients.add(client);
    client.onGone(() => {
      group.clients.delete(client);
      if (group.clients.size === 0) this.#groups.delete(key);
    });
  }

  #tell(lines: Buffer): void {
    for (const { types, clients } of this.#groups.values()) {
      const frames = frameEvents(lines, { types });
      for (const client of clients) client.send(frames);
      if (!this.tail.closed) continue;
      const end = frameControl("end", String(this.tail.seq));
      for (const client of clients) {
        client.send(end);
        client.end();
      }
    }
  }
}

/**
 * A run's events for one client: from the file at its own pace, then live. The feed was joined to the tail before, so what comes
 * while the file is read is in the file too; the change from one to the other happens between two turns of the loop.
 */
export async function followRun(
  client: StreamClient,
  path: string,
  feed: RunFeed | undefined,
  { after, types }: { after: number; types: ReadonlySet<string> | undefined },
): Promise<void> {
  let file = openRegularFile(path);
  let seq = after;
  let offset = file === undefined ? 0 : offsetAfter(file.fd, file.size, after);
  feed?.tail.poll(); // a client may know more than we have read yet
  try {
    while (!client.over) {
      const end = feed?.tail.offset ?? file?.size ?? 0;
      if (offset >= end) break;
      file ??= openRegularFile(path);
      if (file === undefined) break;
      const before = offset;
      for (const lines of lineSlices(file.fd, offset, end)) {
        offset += lines.length;
        seq = lastEventIn(lines)?.seq ?? seq;
        await client.replay(frameEvents(lines, { types }));
        if (client.over) return;
      }
      if (offset === before) break; // what is left is no whole line
    }
  } finally {
    if (file !== undefined) closeSync(file.fd);
  }
  if (client.over) return;
  client.send(frameControl("live", String(seq)));
  if (feed !== undefined && !feed.tail.closed) return feed.add(client, types);
  client.send(frameControl("end", String(seq)));
  client.end();
}
