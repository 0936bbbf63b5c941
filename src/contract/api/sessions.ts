import { z } from "zod";
import { routes } from "./route.ts";
import { inRun, PendingId, PromptContent, Text } from "./values.ts";

const promptId = z.string().min(1).max(128);

/** A run is a session: what a person asks of it while it lives, and how it goes on when it doesn't. */
export const sessionRoutes = routes({
  "POST /runs/{run}/prompts": {
    tag: "sessions",
    summary: "Prompt it: queued while it works, steering where it can; a closed session goes on in a new run.",
    access: "all",
    params: inRun,
    body: z.strictObject({
      content: PromptContent,
      delivery: z.enum(["queue", "steer"]).default("queue"),
      prompt_id: promptId.optional(),
      /** For a session whose profile or folder is gone: the choice that was offered. */
      choice: z.string().max(64).optional(),
    }),
    result: z.object({ run_id: z.string(), prompt_id: z.string(), resumed: z.boolean() }),
    creates: true,
  },
  "PUT /runs/{run}/queue": {
    tag: "sessions",
    summary: "The queue in a new order; what is missing is removed, one may be edited.",
    access: "all",
    params: inRun,
    body: z.strictObject({
      prompt_ids: z.array(promptId).max(200),
      edited: z.strictObject({ prompt_id: promptId, content: PromptContent }).optional(),
    }),
    result: "nothing",
  },
  "POST /runs/{run}/interrupt": {
    tag: "sessions",
    summary: "Interrupt the turn, or only this one.",
    access: "all",
    params: inRun,
    body: z.strictObject({ turn: z.string().max(128).optional() }).prefault({}),
    result: "nothing",
  },
  "POST /runs/{run}/requests/{pending}": {
    tag: "sessions",
    summary: "Answer a permission request or a question, once.",
    access: "all",
    params: inRun.extend({ pending: PendingId }),
    body: z.strictObject({
      answer: z.union([
        z.strictObject({ optionId: z.string().max(256), reason: Text.optional(), args: z.unknown().optional() }),
        z.strictObject({ answers: z.record(z.string(), z.array(z.string().max(65536))) }),
        z.strictObject({ decline: z.literal(true), reason: Text.optional() }),
      ]),
      /** Also store the rule that the inbox showed: the same action in this project is allowed, or denied, from now on. */
      remember: z.enum(["allow", "deny"]).optional(),
    }),
    result: "nothing",
  },
  "PUT /runs/{run}/options/{option}": {
    tag: "sessions",
    summary: "Set an option: model, mode, effort …",
    access: "all",
    params: inRun.extend({ option: z.string().min(1).max(128) }),
    body: z.strictObject({ value: z.union([z.string().max(400), z.boolean()]) }),
    result: "nothing",
  },
  "POST /runs/{run}/fork": {
    tag: "sessions",
    summary: "Go on from an earlier turn with another prompt, as a new run.",
    access: "all",
    params: inRun,
    body: z.strictObject({ turn: z.string().max(128).optional(), content: PromptContent }),
    result: z.object({ run_id: z.string() }),
    creates: true,
  },
  "POST /runs/{run}/stop": {
    tag: "sessions",
    summary: "End it; it can be resumed.",
    access: "all",
    params: inRun,
    body: z.strictObject({ grace_s: z.number().min(0).max(600).optional() }).prefault({}),
    result: "nothing",
  },
});
