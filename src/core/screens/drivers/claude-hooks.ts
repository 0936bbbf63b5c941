import { z } from "zod";
import { promptOf } from "../state/agent-state.ts";
import type { HookEvent } from "../state/hook-event.ts";
import type { Observation } from "./driver.ts";

/** What a hook of Claude Code says about its state; most say nothing. */
export function readClaudeHook({ event, data }: HookEvent): Observation | undefined {
  const tool = typeof data.tool_name === "string" ? data.tool_name : null;
  switch (event) {
    case "stop":
    case "session_end":
      return { state: "idle", cause: "hook:idle" };
    case "user_prompt_submit":
      return { state: "working", cause: "hook:prompt" };
    case "post_tool_use":
      return { state: "working", cause: `hook:tool(${tool})` };
    case "pre_tool_use":
      return beforeTool(tool, data.tool_input);
    case "permission_request":
      return beforeTool(tool, data.tool_input) ?? asks(tool, data.tool_input);
    case "notification":
      if (data.notification_type === "idle_prompt") return { state: "idle", cause: "hook:idle" };
      return data.notification_type === "permission_prompt" ? asks(null, undefined) : undefined;
    default:
      return undefined;
  }
}

function beforeTool(tool: string | null, input: unknown): Observation | undefined {
  if (tool === "EnterPlanMode") return { state: "working", cause: "hook:tool(EnterPlanMode)" };
  if (tool === "AskUserQuestion") {
    const prompt = promptOf("question", { tool, input: textOf(input), questions: questionsIn(input) });
    return { state: "prompt", cause: "hook:tool(AskUserQuestion)", prompt };
  }
  if (tool === "ExitPlanMode") {
    return {
      state: "prompt",
      cause: "hook:tool(ExitPlanMode)",
      prompt: promptOf("plan", { tool, input: textOf(input) }),
    };
  }
  return undefined;
}

const asks = (tool: string | null, input: unknown): Observation => ({
  state: "prompt",
  cause: "hook:permission",
  prompt: promptOf("permission", { tool, input: input === undefined ? null : textOf(input) }),
});

const textOf = (input: unknown) => JSON.stringify(input ?? {});

const Questions = z.object({
  questions: z.array(
    z.looseObject({
      question: z.string().default(""),
      options: z
        .array(z.union([z.string(), z.looseObject({ label: z.string() }).transform(({ label }) => label)]))
        .default([]),
    }),
  ),
});

/** Of the tool's input: {questions: [{question, options: [{label}]}]}. */
export function questionsIn(input: unknown): { question: string; options: string[] }[] {
  const { data } = Questions.safeParse(input);
  return data?.questions.map(({ question, options }) => ({ question, options })) ?? [];
}
