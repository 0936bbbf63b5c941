/** What is being completed: a file after `@`, or a command of the agent's after a `/` at the very beginning. */
export interface Completion {
  kind: "file" | "command";
  typed: string;
  start: number;
  end: number;
}

export function completionAt(text: string, cursor: number): Completion | undefined {
  const before = text.slice(0, cursor);
  const command = /^\/([\w:-]*)$/.exec(before);
  if (command !== null) return { kind: "command", typed: command[1] ?? "", start: 0, end: cursor };
  const file = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (file === null) return undefined;
  const typed = file[1] ?? "";
  return { kind: "file", typed, start: cursor - typed.length - 1, end: cursor };
}

export function insertAt(
  text: string,
  { start, end, kind }: Completion,
  word: string,
): { text: string; cursor: number } {
  const put = `${kind === "file" ? "@" : "/"}${word} `;
  return { text: text.slice(0, start) + put + text.slice(end).trimStart(), cursor: start + put.length };
}
