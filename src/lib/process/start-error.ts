import { accessSync, constants, existsSync, statSync } from "node:fs";
import { AppError, type ErrorCode } from "../../contract/errors.ts";
import { errnoOf } from "../files/disk-error.ts";

/**
 * Why a program could not be started. The kernel says ENOENT for a missing program, a missing interpreter and a missing
 * folder alike, so we look which it is. The cause isn't kept: it quotes arguments and
 * environment, which hold prompts and keys.
 */
export function startError({ file, cwd }: { file: string; cwd: string }, cause: unknown): AppError {
  const errno = errnoOf(cause);
  const fail = (code: ErrorCode, what: string) => new AppError(code, `start agent process: ${what}`, { file, errno });

  if (errno === "ERR_INVALID_ARG_VALUE") {
    return fail("usage.invalid", `${file}: an argument or a variable contains a NUL byte; remove it`);
  }
  if (!isUsableFolder(cwd)) return fail("workspace.invalid", `${cwd}: not a folder one can work in; choose another`);
  switch (errno) {
    case "ENOENT":
      if (!existsSync(file)) return fail("agent.not_installed", `${file}: not found; install it, or correct its path`);
      return fail("agent.not_executable", `${file}: the interpreter in its first line is not found; install that`);
    case "ENOTDIR":
      return fail("agent.not_installed", `${file}: not found; install it, or correct its path`);
    case "EACCES":
    case "EPERM":
    case "ENOEXEC":
    case "ETXTBSY":
      return fail(
        "agent.not_executable",
        `${file}: may not be executed (${errno}); check its x bit and its file system`,
      );
    case "E2BIG":
      return fail(
        "internal",
        `${file}: arguments and environment are too large (E2BIG); pass long texts by stdin or file`,
      );
    case "EAGAIN":
    case "ENOMEM":
    case "EMFILE":
    case "ENFILE":
      return fail(
        "limit.exceeded",
        `${file}: the system has no room for another process (${errno}); end some, then retry`,
      );
    default:
      return fail("internal", `${file}: failed with ${errno}`);
  }
}

function isUsableFolder(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
