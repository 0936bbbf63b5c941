/**
 * A program that prints faster than anybody reads: of plain lines, whatever scrolls through between the first screens and the
 * last ones leaves no trace. Both parts begin in the first column, and each alone fills every row anew.
 */
export function withoutMiddle(bytes: Buffer, rows: number): readonly [head: Buffer, tail: Buffer] | undefined {
  if (bytes.length < WORTHWHILE_BYTES) return undefined;
  const text = bytes.toString("latin1");
  if (NOT_PLAIN.test(text)) return undefined;
  const lines = rows * 2;
  let from = 0;
  for (let line = 0; line < lines; line += 1) {
    from = text.indexOf("\r\n", from) + 2;
    if (from === 1) return undefined;
  }
  let to = text.length;
  for (let line = 0; line <= lines; line += 1) {
    to = text.lastIndexOf("\r\n", to - 1);
    if (to < from) return undefined;
  }
  return [bytes.subarray(0, from), bytes.subarray(to + 2)];
}

const WORTHWHILE_BYTES = 16 * 1024;
/** Any control but tab and line end, in one byte or (C1, in UTF-8) in two: it may mean anything. */
const NOT_PLAIN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]/;
