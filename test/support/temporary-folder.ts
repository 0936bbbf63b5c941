import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A new folder that is gone after the test file that imports this. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "cox-test-"));
  folders.push(folder);
  return folder;
}
