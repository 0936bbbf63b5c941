import { AppError } from "../../contract/errors.ts";
import { agentConfigs, type Resource, tasks, workspaces } from "../kube/resource.ts";

const kinds: readonly { words: readonly string[]; resource: Resource }[] = [
  { words: ["task", "tasks"], resource: tasks },
  { words: ["workspace", "workspaces", "ws"], resource: workspaces },
  { words: ["agentconfig", "agentconfigs", "ac"], resource: agentConfigs },
];

export function kindOf(word: string): Resource {
  const kind = kinds.find(({ words }) => words.includes(word.toLowerCase()));
  if (kind !== undefined) return kind.resource;
  throw new AppError("usage.invalid", `${word}: unknown; say tasks, workspaces or agentconfigs`);
}

/** `task fix-login`, or a name alone, which is a Task's. */
export function namedThings(words: readonly string[]): { resource: Resource; names: readonly string[] } {
  const [first = "", ...rest] = words;
  const kind = rest.length > 0 ? kinds.find((each) => each.words.includes(first.toLowerCase())) : undefined;
  return kind === undefined ? { resource: tasks, names: words } : { resource: kind.resource, names: rest };
}
