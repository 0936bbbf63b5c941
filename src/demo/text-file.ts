import { readFileSync } from "node:fs";
import { errnoOf } from "../lib/files/disk-error.ts";

/** The whole file, or null (as a diff says it) when there is none. */
export function textIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}
