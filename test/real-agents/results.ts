import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Agent × behaviour: it passes, or the fact that prevents it. */
export type Results = Record<string, Record<string, "pass" | { gap: string }>>;

const file = join(import.meta.dirname, "results.json");

export const readResults = (): Results => JSON.parse(readFileSync(file, "utf8"));

export const writeResults = (results: Results): void => writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
