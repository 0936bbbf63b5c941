import { closeSync, createReadStream, fstatSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { AppError } from "../../contract/errors.ts";
import type { Exchange } from "../../lib/http/route.ts";

/**
 * Sends an open file, or the range of it that was asked for, and closes it. As plain text to keep: nothing an agent wrote is
 * ever shown as a page of ours.
 */
export async function sendFile({ request, response }: Exchange, fd: number, { name }: { name: string }): Promise<void> {
  const stats = fstatSync(fd);
  if (!stats.isFile()) {
    closeSync(fd);
    throw new AppError("file.not_found", `${name}: is not a regular file`);
  }
  const range = rangeOf(request.headers.range, stats.size);
  if (range === "unsatisfiable") {
    closeSync(fd);
    response.writeHead(416, { "content-range": `bytes */${stats.size}` }).end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: stats.size - 1 };
  response.writeHead(range === undefined ? 200 : 206, {
    "content-type": "text/plain; charset=utf-8",
    "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    "content-length": end - start + 1,
    "accept-ranges": "bytes",
    "cache-control": "no-store",
    ...(range === undefined ? {} : { "content-range": `bytes ${start}-${end}/${stats.size}` }),
  });
  if (end < start) {
    closeSync(fd);
    response.end();
    return;
  }
  // Exactly as many bytes as announced: a log may grow meanwhile. One that shrank must not look whole, nor the next answer on
  // this connection like its rest.
  const bytes = createReadStream("", { fd, start, end });
  await pipeline(bytes, response, { end: false }).catch(() => response.destroy());
  if (bytes.bytesRead < end - start + 1) response.destroy();
  else response.end();
}

/** One range of bytes, as programs that read on ask for it; what is not one is answered with the whole. */
export function rangeOf(
  header: string | undefined,
  size: number,
): { start: number; end: number } | "unsatisfiable" | undefined {
  const [, from = "", to = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (from === "" && to === "") return undefined;
  if (from === "") {
    const length = Math.min(Number(to), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size - 1 };
  }
  const start = Number(from);
  const end = to === "" ? size - 1 : Math.min(Number(to), size - 1);
  return start >= size || end < start ? "unsatisfiable" : { start, end };
}
