import { AppError, type ErrorCode } from "../../contract/errors.ts";

/**
 * A failed write to our own files, by name and with the way out. `doing` is the outer part of the message:
 * `write run-info: /path: no space left on the disk (ENOSPC); free some space and try again`.
 */
export function diskError(doing: string, path: string | undefined, cause: unknown): AppError {
  const errno = errnoOf(cause);
  const [code, why, remedy] = reasons[errno] ?? other(errno);
  const where = path === undefined ? "" : `${path}: `;
  return new AppError(code, `${doing}: ${where}${why} (${errno}); ${remedy}`, { path, errno }, { cause });
}

export function errnoOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : UNKNOWN;
}

const UNKNOWN = "unknown error";

/** The system said no, or we did: it may pass. What has no code is a mistake in the program. */
export const isRefusal = (error: unknown): boolean => errnoOf(error) !== UNKNOWN;

type Reason = readonly [code: ErrorCode, why: string, remedy: string];

const reasons: Readonly<Record<string, Reason>> = {
  ENOSPC: ["store.full", "no space left on the disk", "free some space and try again"],
  EDQUOT: ["store.full", "your disk quota is used up", "free some space and try again"],
  EFBIG: [
    "store.full",
    "the file may not grow any further",
    "raise the limit on file sizes (ulimit -f) or move it away",
  ],
  EACCES: ["store.unwritable", "permission denied", "check who owns it, or choose another folder"],
  EPERM: ["store.unwritable", "permission denied", "check who owns it, or choose another folder"],
  EROFS: ["store.unwritable", "the file system is read-only", "choose another folder"],
  ENOENT: ["store.unwritable", "the folder does not exist", "create it, or choose another folder"],
  ENOTDIR: ["store.unwritable", "part of the path is not a folder", "choose another folder"],
  EISDIR: ["store.unwritable", "a folder is in its place", "move the folder away"],
  ELOOP: ["store.unwritable", "a symbolic link is in its place", "replace the link by a regular file"],
  ENXIO: ["store.unwritable", "it is not a regular file", "move it away"],
  EBUSY: ["store.unwritable", "something uses it", "end that, or unmount it, and try again"],
  ENOTEMPTY: ["store.unwritable", "somebody still writes into it", "end that, and try again"],
  EMFILE: ["store.unwritable", "too many open files", "raise the limit on open files (ulimit -n)"],
};

const other = (errno: string): Reason => ["store.unwritable", `the write failed with ${errno}`, "check the disk"];
