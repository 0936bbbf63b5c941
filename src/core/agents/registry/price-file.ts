import { z } from "zod";
import { AppError } from "../../../contract/errors.ts";
import { describeIssues } from "./issue.ts";
import { brokenAt } from "./json-place.ts";

/** US dollars per million tokens. Without a price of its own, what the cache gives or takes costs as much as input. */
const Price = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cache_read: z.number().nonnegative().optional(),
  cache_write: z.number().nonnegative().optional(),
});
const PriceTable = z.record(z.string(), Price);
export type PriceTable = z.infer<typeof PriceTable>;

/** A person's prices.json. */
export function parsePrices(text: string): PriceTable {
  const data = parse(text);
  const own = PriceTable.safeParse(data);
  if (own.success) return own.data;
  throw new AppError("config.invalid", `prices.json: ${describeIssues(own.error, data)}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const { line, column } = brokenAt(text);
    throw new AppError("config.invalid", `prices.json: line ${line}, column ${column}: this is not JSON`);
  }
}
