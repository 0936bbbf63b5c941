import { AppError } from "../../../contract/errors.ts";

/** A page of a list that is in memory; the cursor is the key of the last one given, so that new ones in front move nothing. */
export function pageOf<Item>(
  all: readonly Item[],
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  keyOf: (item: Item) => string,
): { items: Item[]; next?: string } {
  const from = cursor === undefined ? 0 : all.findIndex((item) => keyOf(item) === decode(cursor)) + 1;
  if (cursor !== undefined && from === 0) {
    throw new AppError("usage.invalid", "cursor: what it names is not in the list any more; begin again without it");
  }
  const items = all.slice(from, from + limit);
  const last = items.at(-1);
  return from + limit < all.length && last !== undefined ? { items, next: encode(keyOf(last)) } : { items };
}

const encode = (key: string) => Buffer.from(key).toString("base64url");
const decode = (cursor: string) => Buffer.from(cursor, "base64url").toString();
