/** Every command: its line in `cox help`, and where it is loaded from when it is used. */
export const commands = {
  run: { summary: "run an agent on a prompt, live", load: () => import("./run.ts"), hidden: false },
  loop: { summary: "run an agent again and again until the task is done", load: () => import("./loop.ts"), hidden: false },
  ls: { summary: "list runs", load: () => import("./ls.ts"), hidden: false },
  demo: { summary: "see a run from beginning to end, without an account", load: () => import("./demo.ts"), hidden: false },
  tree: { summary: "show runs with the runs they started", load: () => import("./tree.ts"), hidden: false },
  wait: { summary: "wait until runs have ended", load: () => import("./wait.ts"), hidden: false },
  host: { summary: "own a detached run (started by cox itself)", load: () => import("./host.ts"), hidden: true },
} as const;

export type CommandName = keyof typeof commands;

export const isCommandName = (name: string): name is CommandName => Object.hasOwn(commands, name);

/** Commands that begin alike or differ by a letter or two. */
export function suggestions(name: string): string[] {
  return Object.entries(commands)
    .filter(([key, { hidden }]) => !hidden && (key.startsWith(name) || distance(key, name) <= 1))
    .map(([key]) => key);
}

/** Edits between two words: insertions, deletions, replacements. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
