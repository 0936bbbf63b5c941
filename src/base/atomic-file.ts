import { randomBytes } from "node:crypto";
import { closeSync, constants, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
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
    rmSync(temporary, { force: true });
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
    rmSync(temporary, { force: true });
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
    rmSync(path, { force: true });
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

/** In the same folder, because rename and link don't cross file systems; unpredictable, so nobody can be there first. */
function temporaryBeside(path: string): string {
  return join(dirname(path), `.${randomBytes(9).toString("base64url")}.tmp`);
}

const WITHOUT_LINKS = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);
const { O_WRONLY, O_RDONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
