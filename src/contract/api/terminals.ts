import { z } from "zod";
import { routes } from "./route.ts";
import { Time } from "./values.ts";

const TerminalId = z.string().regex(/^[A-Za-z0-9][\w.-]{0,127}$/);

export const TerminalItem = z.object({
  id: z.string(),
  url: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  /** starting, working, idle, prompt, error, parked, restarting, exited, unknown. */
  state: z.string(),
  registered: Time,
});
export type TerminalItem = z.infer<typeof TerminalItem>;

/**
 * Hosted terminals, where the server was started with a hub. Beside these there are two WebSockets: `/terminals/stream` tells of
 * all of them with their screens once a second, `/terminals/{terminal}/line` is one terminal's own.
 */
export const terminalRoutes = routes({
  "GET /terminals": {
    tag: "terminals",
    summary: "Terminals that are registered with this server's hub.",
    access: "read",
    result: z.object({ hub: z.boolean(), items: z.array(TerminalItem) }),
  },
  "POST /terminals/{terminal}/input": {
    tag: "terminals",
    summary: "Type into one.",
    access: "all",
    params: z.object({ terminal: TerminalId }),
    body: z.strictObject({ text: z.string().max(1024 * 1024), enter: z.boolean().default(false) }),
    result: "nothing",
  },
});
