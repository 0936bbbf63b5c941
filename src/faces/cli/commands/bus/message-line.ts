import type { BusMessage } from "../../../../contract/bus.ts";
import { formatBytes } from "../../../../contract/words/figures.ts";
import { busBlobs } from "../../../../core/store/bus/bus.ts";
import { errnoOf } from "../../../../lib/files/disk-error.ts";
import { oneLine, printable, printableJson } from "../../../../lib/text/printable.ts";

/** One message for people. Further lines of a body are set in, so that none can pass for a message of its own. */
export function messageLines(message: BusMessage): string {
  const { time, type, run, id, body } = message;
  const who = run === "" ? "-" : run.split("-").slice(-2).join("-");
  const mark = message.unverified ? " (unverified)" : "";
  const text = typeof body === "string" ? body : `${body.head}… (${formatBytes(body.bytes)}; all of it with --json)`;
  const asks = type === "QUESTION" ? ` [${id}]` : "";
  const lines = printable(text).trimEnd().split("\n").join("\n    ");
  return `${seconds(oneLine(time))}  ${type}  ${oneLine(who)}${mark}${asks}  ${lines}\n`;
}

/** To the second. It keeps its Z: whoever is elsewhere would read it as a time of their own. */
const seconds = (time: string) => time.replace(/\.\d+Z$/, "Z").slice(0, 20);

/** One message for programs, whole. */
export function messageJson(path: string, message: BusMessage): string {
  return printableJson({ ...message, body: wholeBody(path, message) });
}

/** A body whose file is gone is the beginning that the bus itself keeps: better than no messages at all. */
export function wholeBody(path: string, { body }: BusMessage): string {
  if (typeof body === "string") return body;
  try {
    return busBlobs(path).read(body.sha256).toString("utf8");
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    return `${body.head}… (the rest is gone: blobs/${body.sha256})`;
  }
}
