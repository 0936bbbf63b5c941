/** What went wrong, as far as a person can do something about it. Without a schema: every run that fails looks into it. */
export const errorCategories = [
  "auth",
  "credits",
  "rate_limit",
  "model",
  "network",
  "server",
  "context",
  "process",
  "other",
] as const;
