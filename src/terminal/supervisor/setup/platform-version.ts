import { readFileSync } from "node:fs";
import { errnoOf } from "../../../lib/files/disk-error.ts";
import type { Step } from "../step.ts";

/** Which image this is, for the agent and for whoever looks at it. */
export const platformVersion: Step = {
  name: "platform version",
  run({ settings }) {
    const version = read(settings.platformVersionFile).trim();
    return version === "" ? {} : { env: { BEADS_PLATFORM_VERSION: version }, note: version };
  },
};

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return ""; // not one of our images
    throw error;
  }
}
