import { AppError } from "../../../contract/errors.ts";
import { readDialog } from "../detect/dialog.ts";
import { troubleOf } from "../detect/trouble.ts";
import { promptOf } from "../state/agent-state.ts";
import type { Driver, Observation } from "./driver.ts";

/** How to tell the state of a program nobody knows, by what its screen shows. Regular expressions, tried on each line. */
export interface Patterns {
  /** The line where it waits for input. */
  prompt_pattern?: string;
  working_patterns?: readonly string[];
  error_patterns?: readonly string[];
  /** A line with which it asks for leave. */
  permission_patterns?: readonly string[];
}

/** Any program. With patterns its state is read from the screen and it takes prompts; without, only its output is watched. */
export function genericDriver(patterns: Patterns = {}): Driver {
  const tests = {
    idle: compile([patterns.prompt_pattern ?? []].flat()),
    working: compile(patterns.working_patterns ?? []),
    error: compile(patterns.error_patterns ?? []),
    asks: compile(patterns.permission_patterns ?? []),
  };
  const hasPatterns = tests.idle.length > 0;
  return {
    agent: "unknown",
    takesPrompts: hasPatterns,
    byOutput: !hasPatterns,
    retriesEnter: false,
    ...(hasPatterns ? { readScreen: (lines: readonly string[]) => read(lines, tests) } : {}),
  };
}

function read(
  screen: readonly string[],
  { idle, working, error, asks }: Record<"idle" | "working" | "error" | "asks", readonly RegExp[]>,
): Observation | undefined {
  const lines = screen.map((line) => line.trimEnd()).filter((line) => line !== "");
  const input = lines.findLastIndex((line) => matches(idle, line));
  // What stands above the line where it waits is over; what stands below it belongs to it.
  const recent = input === -1 ? lines.slice(-RECENT_LINES) : lines.slice(input + 1);
  const asked = recent.findLast((line) => matches(asks, line));
  if (asked !== undefined) {
    const { options = [] } = readDialog(screen) ?? {};
    const prompt = promptOf("permission", { input: asked.trim(), options, ready: true });
    return { state: "prompt", cause: "screen:asks", prompt };
  }
  if (recent.some((line) => matches(working, line))) return { state: "working", cause: "screen:working" };
  const failed = recent.find((line) => matches(error, line));
  if (failed !== undefined) return { state: "error", cause: "screen:error", trouble: troubleOf(failed.trim()) };
  if (input !== -1 && recent.length <= FOOTER_LINES) return { state: "idle", cause: "screen:idle" };
  return lines.length === 0 ? undefined : { state: "working", cause: "screen:output" };
}

const FOOTER_LINES = 3;
const RECENT_LINES = 12;
const matches = (patterns: readonly RegExp[], line: string) => patterns.some((pattern) => pattern.test(line));

function compile(patterns: readonly string[]): RegExp[] {
  return patterns.map((pattern) => {
    try {
      return new RegExp(pattern, "u");
    } catch (cause) {
      throw new AppError("config.invalid", `pattern ${JSON.stringify(pattern)}: no regular expression`, {}, { cause });
    }
  });
}
