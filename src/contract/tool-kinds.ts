/** What a tool does, as far as a policy cares. Without a schema: every run reads it with the policy. */
export const toolKinds = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "todo",
  "subagent",
  "other",
] as const;
