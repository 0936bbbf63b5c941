import { readFileSync } from "node:fs";

/** A sub-agent as plugins have it: Markdown, with a few fields above it. */
export function agentFile(path: string): { description: string | undefined; body: string } {
  const text = readFileSync(path, "utf8");
  const head = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?/.exec(text);
  if (head === null) return { description: undefined, body: text };
  const line = /^description:[ \t]*(.+)$/m.exec(head[1] ?? "")?.[1]?.trim();
  return { description: line?.replace(/^(["'])(.*)\1$/, "$2"), body: text.slice(head[0].length) };
}
