import type { ContentBlock } from "@agentclientprotocol/sdk";

/** A line of a script: `@name rest`. */
export interface Step {
  name: string;
  rest: string;
}

export interface Prompt {
  text: string;
  images: number;
  /** A script is followed to the letter; a question about earlier prompts gets them; anything else gets the show. */
  wants: { type: "script"; steps: Step[] } | { type: "recall" } | { type: "show" };
}

/** Offered as slash commands; each stands for the directive of the same name. */
export const commands = [
  { name: "memory", description: "Say what you asked so far" },
  { name: "slow", description: "Count slowly, to try an interruption", input: { hint: "TIMES MILLISECONDS" } },
  { name: "question", description: "Ask you something", input: { hint: "TEXT | CHOICE | CHOICE" } },
];

export function readPrompt(blocks: readonly ContentBlock[]): Prompt {
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const text = texts.filter((part) => !part.startsWith(FROM_THE_RUNNER)).join("\n");
  const images = blocks.filter((block) => block.type === "image").length;
  return { text, images, wants: wantsOf(text) };
}

/** What the runner says about the run is no part of what the person asked. */
const FROM_THE_RUNNER = "<coxswain-run>";

function wantsOf(text: string): Prompt["wants"] {
  const steps = text.split("\n").flatMap(stepOf);
  if (steps.length > 0) return { type: "script", steps };
  const command = stepOf(text.trim().replace(/^\//, "@"))[0];
  if (command && commands.some(({ name }) => name === command.name)) return { type: "script", steps: [command] };
  return { type: asksForMemory(text) ? "recall" : "show" };
}

/** `@README.md` mentions a file: only a plain word makes a step. */
function stepOf(line: string): Step[] {
  const match = /^@([a-z][a-z-]*)(?:\s+(.*))?$/.exec(line.trimEnd());
  return match?.[1] === undefined ? [] : [{ name: match[1], rest: match[2] ?? "" }];
}

function asksForMemory(text: string): boolean {
  return /\bwhat (?:did|have|had) i (?:just )?(?:say|said|ask|asked|tell|told|want)|\bdo you remember\b/i.test(text);
}

export function recall(prompts: readonly string[]): string {
  if (prompts.length === 0) return "You said nothing before this.";
  return `Earlier you said:\n${prompts.map((prompt) => `- ${prompt.replaceAll("\n", "\n  ")}`).join("\n")}`;
}

/** A prompt short enough to be a title, or to be quoted in a sentence. */
export function short(text: string): string {
  const line = text.trim().split(/\s+/).join(" ");
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

export const quote = (text: string): string => `“${short(text)}”`;
