import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createLog, type Log } from "../../lib/base/log.ts";
import { type Places, placesOf } from "./places.ts";
import { type Flags, inPod, readSettings, type Settings } from "./settings.ts";
import type { Environment } from "./step.ts";

/** For tests: a pod's folders in a temporary one, and everything that was logged. */
export interface TestPlace {
  settings: Settings;
  places: Places;
  env: Environment;
  log: Log;
  lines: { level: string; message: string; [field: string]: unknown }[];
}

export function testPlace(given: Record<string, string> = {}, flags: Flags = {}): TestPlace {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  const workspace = join(folder, "workspace");
  for (const path of [home, workspace]) mkdirSync(path);
  const files = {
    BOAT_CREDENTIALS_FILE: join(folder, "secret.json"),
    BOAT_PLATFORM_VERSION_FILE: join(folder, "platform-version"),
    BOAT_HOOKS_DIR: join(folder, "hooks"),
  };
  const env = { PATH: process.env.PATH ?? "", HOME: home, ...files, ...given };
  const settings = readSettings({ workspace, ...flags }, env, inPod(env, workspace), ["cox", "terminal"]);
  const lines: TestPlace["lines"] = [];
  const log = createLog({ sink: (line) => lines.push(JSON.parse(line)), level: "debug", now: () => 0 });
  return { settings, places: placesOf(settings, undefined, new Set()), env, log, lines };
}
