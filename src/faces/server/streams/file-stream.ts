import { closeSync, readSync } from "node:fs";
import { Bell } from "../../../lib/base/bell.ts";
import { openRegularFile } from "../../../lib/files/regular-file.ts";
import type { StreamClient } from "./client.ts";
import { frameControl } from "./frames.ts";

/** What the agent prints, as bytes in base64; the id is where the next ones begin. Ends with the run. */
export async function followFile(
  client: StreamClient,
  path: string,
  from: number,
  isLive: () => boolean,
): Promise<void> {
  const bell = new Bell(path);
  client.onGone(() => bell.ring());
  let file: ReturnType<typeof openRegularFile>;
  let offset = from;
  let present = false;
  try {
    while (!client.over) {
      // Asked before the file is read: what a run wrote at its very end is still read.
      const live = isLive();
      file ??= openRegularFile(path);
      const bytes = file === undefined ? undefined : read(file.fd, offset);
      if (bytes !== undefined) {
        offset += bytes.length;
        bell.active();
        const frame = `id: ${offset}\ndata: ${bytes.toString("base64")}\n\n`;
        await client.replay({ bytes: Buffer.from(frame), count: 1 });
        continue;
      }
      if (!present) client.send(frameControl("live", String(offset)));
      present = true;
      if (!live) break;
      await bell.rung();
    }
  } finally {
    bell.close();
    if (file !== undefined) closeSync(file.fd);
  }
  client.send(frameControl("end", String(offset)));
  client.end();
}

function read(fd: number, offset: number): Buffer | undefined {
  const buffer = Buffer.allocUnsafe(SLICE_BYTES);
  const count = readSync(fd, buffer, 0, SLICE_BYTES, offset);
  return count === 0 ? undefined : buffer.subarray(0, count);
}

const SLICE_BYTES = 48 * 1024;
