/** A command line as a shell would take it. */
export const shellWords = (words: readonly string[]): string => words.map(shellWord).join(" ");

const shellWord = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
