import { z } from "zod";

const Injection = z.object({ text: z.string().optional(), shell: z.array(z.string()).optional() });

/** What an agent is told when a session of it begins: text, and lines of shell whose output it sees. */
export const StartConfig = Injection.extend({
  /** Instead, for sessions that begin this way: startup, resume, clear, compact. */
  event: z.record(z.string(), Injection).optional(),
});
export type StartConfig = z.infer<typeof StartConfig>;

/** A script for the agent's own start hook; "" when there is nothing to say. */
export function startScript(config: StartConfig, source: string): string {
  const { text, shell = [] } = config.event?.[source] ?? config;
  const lines = [...shell];
  // As base64, so that no quote or backslash of the text means anything to a shell.
  if (text) lines.unshift(`printf '%s' '${Buffer.from(text).toString("base64")}' | base64 -d`);
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}
