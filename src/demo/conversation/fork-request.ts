import { z } from "zod";

const pairs = z.array(z.object({ name: z.string(), value: z.string() }));

/** The params of `session/fork`. The method is not in the stable protocol, so the library has no schema for it. */
export const ForkRequest = z.object({
  sessionId: z.string(),
  cwd: z.string(),
  mcpServers: z
    .array(
      z.union([
        z.object({ type: z.enum(["http", "sse"]), name: z.string(), url: z.string(), headers: pairs }),
        z.object({ name: z.string(), command: z.string(), args: z.array(z.string()), env: pairs }),
      ]),
    )
    .default([]),
});
