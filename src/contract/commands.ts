import { z } from "zod";
import { Content } from "./events.ts";

/** What a person (or a policy) asks of a live session. */
export const Command = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("prompt"),
    promptId: z.string(),
    content: z.array(Content),
    delivery: z.enum(["queue", "steer"]),
  }),
  /** The new order; what is missing is removed. */
  z.object({
    type: z.literal("edit_queue"),
    promptIds: z.array(z.string()),
    edited: z.object({ promptId: z.string(), content: z.array(Content) }).optional(),
  }),
  z.object({
    type: z.literal("answer"),
    pendingId: z.string(),
    answer: z.union([
      z.object({ optionId: z.string(), reason: z.string().optional(), args: z.unknown().optional() }),
      z.object({ answers: z.record(z.string(), z.array(z.string())) }),
      z.object({ decline: z.literal(true), reason: z.string().optional() }),
    ]),
    /** The same action is decided like this from now on: a rule is stored. */
    remember: z.enum(["allow", "deny"]).optional(),
  }),
  z.object({ type: z.literal("interrupt"), turn: z.string().optional() }),
  z.object({ type: z.literal("set_option"), id: z.string(), value: z.union([z.string(), z.boolean()]) }),
  z.object({
    type: z.literal("stop"),
    graceMs: z.number().nonnegative().optional(),
    /** Whoever was told to by one of these passes it on: the run ends as if it had been. */
    signal: z.enum(["SIGINT", "SIGTERM"]).optional(),
  }),
  /** Terminal sessions only. */
  z.object({ type: z.literal("input"), data: z.string() }),
  z.object({ type: z.literal("resize"), cols: z.number().int().positive(), rows: z.number().int().positive() }),
]);
export type Command = z.infer<typeof Command>;
export type CommandOf<T extends Command["type"]> = Extract<Command, { type: T }>;
export type Answer = CommandOf<"answer">["answer"];

/** On a host's socket; a refused answer says who answered before, and when. */
export const SentCommand = z.intersection(Command, z.object({ by: z.string().optional() }));
export type SentCommand = z.infer<typeof SentCommand>;

/** One line each way on a host's socket. */
export const HostRequest = z.object({ id: z.number().int(), command: SentCommand });
export type HostRequest = z.infer<typeof HostRequest>;
export type HostReply =
  | { id: number; ok: true }
  | { id: number; error: { code: string; message: string; details?: unknown } };
