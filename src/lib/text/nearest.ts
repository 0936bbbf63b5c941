/** The words that somebody may have meant: those that begin as it does, or are an edit or two away. The nearest first. */
export function nearest(word: string, known: Iterable<string>): string[] {
  const allowed = word.length > 4 ? 2 : 1;
  return [...known]
    .map((each) => ({ each, edits: word !== "" && each.startsWith(word) ? 0 : distance(each, word) }))
    .filter(({ each, edits }) => edits <= allowed && edits < each.length)
    .sort((a, b) => a.edits - b.edits)
    .map(({ each }) => each);
}

/** Edits between two words: insertions, deletions, replacements, and two neighbours that changed places. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i += 1) {
    const [above = [], twoAbove = []] = [rows[i - 1], rows[i - 2]];
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? (twoAbove[j - 2] ?? 0) + 1 : change;
      row.push(Math.min(change, swap, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}
