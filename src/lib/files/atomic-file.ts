import { closeSync, constants, fsyncSync, linkSync, openSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { basename, dirname } from "node:path";
import { diskError, errnoOf } from "./disk-error.ts";

/**
 * Readers see the old file or the new one, never a part. Synchronous, because our files are small and come in bursts, and a
 * turn of the loop between two of them costs more than the writing. `durable` is for what must outlive a power loss.
 */
export function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  { mode = 0o600, durable = false }: { mode?: number; durable?: boolean } = {},
): void {
  const temporary = temporaryBeside(path);
  try {
    writeNew(temporary, data, mode, durable);
    renameSync(temporary, path);
    if (durable) syncFolder(dirname(path));
  } catch (error) {
    remove(temporary);
    throw diskError(`write ${basename(path)}`, path, error);
  }
}

/**
 * Creates the file with all its content at once, or says `false` when it exists already. Of several callers one gets `true`,
 * and nobody ever reads a part.
 */
export function createFileExclusive(path: string, data: string | Uint8Array, mode = 0o600): boolean {
  const temporary = temporaryBeside(path);
  try {
    writeNew(temporary, data, mode, false);
    return linkNew(temporary, path) ?? writeNewOrGiveWay(path, data, mode);
  } catch (error) {
    throw diskError(`create ${basename(path)}`, path, error);
  } finally {
    remove(temporary);
  }
}

/**
 * The same at half the price, for files whose readers know that they may come between creation and content. A full disk
 * leaves nothing; a kill at that moment leaves an empty file.
 */
export function createFileInSight(path: string, data: string, mode = 0o600): boolean {
  try {
    return writeNewOrGiveWay(path, data, mode);
  } catch (error) {
    throw diskError(`create ${basename(path)}`, path, error);
  }
}

/** `undefined` where the file system knows no hard links (some network shares). */
function linkNew(from: string, to: string): boolean | undefined {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "EEXIST") return false;
    if (WITHOUT_LINKS.has(errno)) return undefined;
    throw error;
  }
}

/** Still exclusive, but a reader may come between creation and content. */
function writeNewOrGiveWay(path: string, data: string | Uint8Array, mode: number): boolean {
  try {
    writeNew(path, data, mode, false);
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    remove(path);
    throw error;
  }
}

function writeNew(path: string, data: string | Uint8Array, mode: number, durable: boolean): void {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  const fd = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  try {
    // A disk that fills up takes a part first and fails the next write.
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
    if (durable) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function syncFolder(path: string): void {
  const fd = openSync(path, O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** As `rmSync` with `force`, at half its price: we know that it is a file. */
/** Best effort: whoever comes here has a result already, or an error that says more than this one would. */
function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was never there, or what forbade to write forbids this too.
  }
}

let made = 0;
let salt = "";

/**
 * In the same folder, because rename and link don't cross file systems. Nobody who doesn't see it can be there first, and who is
 * has only made a file that we don't take: it is opened as new. So what V8 calls random is enough.
 */
function temporaryBeside(path: string): string {
  salt ||= Math.random().toString(36).slice(2);
  made += 1;
  return `${path.slice(0, path.lastIndexOf("/") + 1)}.${salt}-${made}.tmp`;
}

const WITHOUT_LINKS = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);
const { O_WRONLY, O_RDONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
