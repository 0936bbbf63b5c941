import { z } from "zod";
import { AppError } from "../../../contract/errors.ts";

/** `protocol_config` of an agent that has only a screen. */
const TerminalConfig = z.object({
  /** The prompt goes behind this flag of the command line; without it, it is typed. */
  prompt_flag: z.string().optional(),
  /** One of the agents whose screen is known. */
  driver: z.enum(["claude", "codex", "gemini", "unknown"]).default("unknown"),
  prompt_pattern: z.string().optional(),
  working_patterns: z.array(z.string()).optional(),
  error_patterns: z.array(z.string()).optional(),
  permission_patterns: z.array(z.string()).optional(),
  /** What is typed for yes and no where there is no list to choose from. */
  yes: z.string().optional(),
  no: z.string().optional(),
  /** What is typed to interrupt it; Escape if nothing is said. */
  interrupt: z.string().optional(),
  /** Without patterns: how long it must be silent to count as idle. */
  quiet_ms: z.number().int().positive().default(3000),
});
export type TerminalConfig = z.infer<typeof TerminalConfig>;

export function readConfig(config: Readonly<Record<string, unknown>>): TerminalConfig {
  const { data, error } = TerminalConfig.safeParse(config);
  if (data !== undefined) return data;
  const issue = error.issues[0];
  throw new AppError("config.invalid", `protocol_config.${issue?.path.join(".")}: ${issue?.message}`);
}
