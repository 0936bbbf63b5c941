import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { removeTree } from "../../src/lib/files/tree/remove-tree.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) removeTree(folder);
});

/** A new folder that is gone after the test file that imports this. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "cox-test-"));
  folders.push(folder);
  return folder;
}
