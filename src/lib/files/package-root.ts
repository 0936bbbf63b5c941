import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Where this package lies, whether it runs from source or from the bundle. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}
