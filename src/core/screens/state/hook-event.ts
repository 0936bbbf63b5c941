import { z } from "zod";

/** A line of the hook pipe. What a hook carries besides is its own affair. */
export const HookEvent = z.object({ event: z.string(), data: z.record(z.string(), z.unknown()).default({}) });
export type HookEvent = z.infer<typeof HookEvent>;

export function parseHookEvent(line: string): HookEvent | undefined {
  try {
    const { data } = HookEvent.safeParse(JSON.parse(line));
    return data;
  } catch {
    return undefined;
  }
}
