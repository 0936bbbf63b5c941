import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/**
 * The last lines a program wrote to its stderr file, fit to stand in an error message: no colours, no control characters, no
 * text that runs backwards. "" when there is nothing to show, whatever the reason. `from` is where this program began.
 */
export function stderrTail(path: string, from = 0): string {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return "";
  }
  try {
    return plain(lastBytes(fd, from)).split("\n").slice(-MAX_LINES).join("\n");
  } catch {
    return "";
  } finally {
    closeSync(fd);
  }
}

const MAX_BYTES = 4096;
const MAX_LINES = 20;

function lastBytes(fd: number, from: number): Buffer {
  const { size } = fstatSync(fd);
  // A file that became shorter holds nothing from before.
  const first = from > size ? 0 : from;
  const start = Math.max(first, size - MAX_BYTES);
  const bytes = Buffer.alloc(size - start);
  const count = readSync(fd, bytes, 0, bytes.length, start);
  // The cut goes through a line, perhaps through a character or a colour: what is left of it says nothing.
  const cut = start > first ? bytes.indexOf(LF) + 1 : 0;
  return bytes.subarray(cut, count);
}

/** Invalid UTF-8 is replaced in decoding. */
function plain(bytes: Buffer): string {
  return bytes
    .toString("utf8")
    .replace(ESCAPES, "")
    .replace(/\r+\n|\r/g, "\n")
    .replace(CONTROLS, "")
    .trim();
}

const LF = 10;
/** CSI (colours, cursor), OSC (titles, links) up to BEL or ST, character sets, and the two-character sequences. */
const ESCAPES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]+[0-~]|\u001b[@-Z\\-_a-z0-9=>]/g;
/** All but tab and newline; also the characters that change the direction of text. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
