import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scene } from "../support/cox.ts";

test("fifty first runs of a fresh home, begun at once, have fifty numbers", { timeout: 240_000 }, async () => {
  const made = scene();
  const all = Array.from({ length: 50 }, (_, i) => made.cox(["run", "--quiet", "--agent", "demo", `@say ${i}`]));
  for (const { code, stderr } of await Promise.all(all)) expect(code, stderr).toBe(0);
  const numbers = made.runs().map(({ info }) => info?.handle ?? 0);
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  const files = join(made.home, "handles");
  for (const { info } of made.runs()) {
    expect(readFileSync(join(files, String(info?.handle)), "utf8").trim()).toBe(info?.run_id);
  }
  expect(readdirSync(files)).toHaveLength(50);
  const inLedger = made.ledger().flatMap((record) => (record.type === "start" ? [record.handle] : []));
  expect(new Set(inLedger)).toEqual(new Set(numbers));
});
