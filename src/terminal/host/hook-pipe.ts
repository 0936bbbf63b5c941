import { constants, openSync, readFileSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { dirname } from "node:path";
import { type HookEvent, parseHookEvent } from "../../core/screens/state/hook-event.ts";
import { LineSplitter } from "../../lib/text/lines.ts";

/**
 * Reads what hooks write. It is opened for reading and writing, so that it neither waits for the first hook nor ends with the
 * last one; and before the agent is started, so that no hook waits for us.
 */
export function readHookPipe(path: string, onEvent: (event: HookEvent) => void): { close(): void } {
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  const stream = new Socket({ fd, readable: true, writable: false });
  const splitter = new LineSplitter(MAX_LINE_BYTES);
  stream.on("data", (chunk: Buffer) => {
    for (const line of splitter.push(chunk)) {
      const event = "text" in line ? eventOf(line.text, dirname(path)) : undefined;
      if (event !== undefined) onEvent(event);
    }
  });
  stream.on("error", () => stream.destroy());
  return { close: () => stream.destroy() };
}

const MAX_LINE_BYTES = 1024 * 1024;

/** Two writers are kept apart only up to 4 KB: what is longer lies in a file of our folder, and the line names it. */
function eventOf(line: string, folder: string): HookEvent | undefined {
  const reference = REFERENCE.exec(line);
  if (reference === null) return parseHookEvent(line);
  const [, event, name] = reference;
  const file = `${folder}/${name}`;
  try {
    return parseHookEvent(`{"event":"${event}","data":${readFileSync(file, "utf8")}}`);
  } catch {
    return undefined; // whoever wrote the line did not write the file
  } finally {
    rmSync(file, { force: true });
  }
}

const REFERENCE = /^\{"event":"(\w+)","file":"(hook-\w+)"\}$/;
