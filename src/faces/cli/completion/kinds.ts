import type { OptionSpec } from "../../../lib/command/command.ts";

/** What is looked up when the key is pressed, since it changes. */
export const kinds = ["agents", "profiles", "models", "runs", "requests", "tasks", "reviews", "branches"] as const;
export type Kind = (typeof kinds)[number];

/** What can stand in a place of a command line: names of these kinds, and these words. */
export interface Offered {
  kinds: readonly Kind[];
  words: readonly string[];
}

const byOption: Readonly<Record<string, Kind>> = {
  agent: "agents",
  profile: "profiles",
  model: "models",
  resume: "runs",
  task: "tasks",
  "depends-on": "tasks",
  base: "branches",
  into: "branches",
};

/** Of a cluster nothing is known without asking it, and that takes longer than anybody waits for a key. */
const isElsewhere = (usage: string) => usage.startsWith("cox k8s ");

/** What an option takes, by its name, by what its value is called (`on|off`), or as it says itself. */
export function offeredFor(option: string, { value = "", choices = [] }: OptionSpec, usage: string): Offered {
  const kind = isElsewhere(usage) || value === "" ? undefined : byOption[option];
  return { kinds: kind === undefined ? [] : [kind], words: [...choicesIn(value), ...choices] };
}

/** What the words of a command are, as its usage calls them: `cox merge TASK|RUN [options]`. */
export function wordsIn(usage: string): Offered {
  const [, group = "", ...tokens] = usage
    .replace(/\[--[^\]]*\]/g, "")
    .replace(/ --\S+ [A-Z]+/g, "")
    .split(" ");
  const bare = tokens.map((token) => token.replace(/[[\]…]/g, ""));
  const called = new Set(bare.flatMap((token) => token.split("|")));
  const named: [string, Kind][] = [
    ["RUN.REQUEST", "requests"],
    ["RUN", "runs"],
    ["TASK", group === "review" ? "reviews" : "tasks"],
    ...(group === "profile" ? ([["NAME", "profiles"]] as const) : []),
    ...(group === "agent" ? ([["NAME", "agents"]] as const) : []),
  ].map(([name, kind]) => [name, kind] as [string, Kind]);
  const found = isElsewhere(usage) ? [] : named.filter(([name]) => called.has(name)).map(([, kind]) => kind);
  return { kinds: found, words: bare.flatMap(choicesIn) };
}

const choicesIn = (token: string): string[] =>
  token.includes("|") ? token.split("|").filter((word) => /^[a-z][a-z-]*$/.test(word)) : [];
