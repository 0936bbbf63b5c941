import type { Context } from "./command.ts";

export type Style = "live" | "plain" | "json" | "quiet";

export function styleFor(wishes: { json?: boolean; quiet?: boolean }, { stdout, env }: Context): Style {
  if (wishes.json) return "json";
  if (wishes.quiet) return "quiet";
  return stdout.isTTY && env.TERM !== "dumb" ? "live" : "plain";
}
