import { readFileSync } from "node:fs";
import { AppError } from "../../../contract/errors.ts";
import { errnoOf } from "../../../lib/files/disk-error.ts";

/** A settings file that need not be there: undefined when it isn't. */
export function readOptional(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    // A file where the state folder should be is said by whoever opens the folder, with what to do.
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return undefined;
    throw new AppError("config.invalid", `${file}: can't be read (${errnoOf(error)})`, {}, { cause: error });
  }
}
