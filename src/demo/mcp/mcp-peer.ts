import { z } from "zod";

/** One connection to an MCP server. Requests end with an error when the server is gone or the turn is cancelled. */
export interface McpPeer {
  request(method: string, params: unknown): Promise<unknown>;
  notify(method: string): Promise<void>;
  close(): Promise<void>;
}

const Reply = z.object({
  id: z.number(),
  result: z.unknown(),
  error: z.object({ message: z.string() }).optional(),
});
export type Reply = z.infer<typeof Reply>;

/** A reply to one of our requests; anything else a server may send (notifications, requests, noise) is not for us. */
export function readReply(text: string): Reply | undefined {
  try {
    return Reply.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
