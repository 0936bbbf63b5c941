import type { Observation } from "../drivers/driver.ts";
import { promptOf } from "../state/agent-state.ts";
import { readDialog } from "./dialog.ts";
import { findMenu, type Menu, promptFrom, questionOf } from "./menus.ts";

/** What the screen of Gemini CLI says. */
export function readGeminiScreen(lines: readonly string[]): Observation | undefined {
  const dialog = readDialog(lines);
  if (dialog !== undefined) {
    const menu = findMenu(MENUS, dialog.text.join("\n"));
    if (menu !== undefined) {
      const tool = /\[(\w+)\]/.exec(questionOf(dialog))?.[1] ?? null;
      const input =
        menu.subtype === "tool"
          ? dialog.text
              .at(-2)
              ?.replace(/[│╭╮╰╯─]/gu, "")
              .trim() || null
          : null;
      return { state: "prompt", cause: `screen:${menu.type}`, prompt: promptFrom(menu, dialog, { tool, input }) };
    }
    const questions = [{ question: questionOf(dialog), options: dialog.options }];
    return {
      state: "prompt",
      cause: "screen:question",
      prompt: promptOf("question", { options: dialog.options, questions, ready: true }),
    };
  }
  const rule = lines.findLastIndex((line) => /^\s*[─▀▄]{20,}/u.test(line));
  if (/\besc to cancel\b/i.test(lines.join("\n"))) return { state: "working", cause: "screen:working" };
  const hasInput = lines.slice(Math.max(rule, 0)).some((line) => /^\s*[│ ]?\s*[>!*]\s/u.test(line));
  return hasInput ? { state: "idle", cause: "screen:idle" } : undefined;
}

const MENUS: readonly Menu[] = [
  { type: "permission", subtype: "trust", words: [/trust the files/i] },
  { type: "setup", subtype: "login_method", words: [/How would you like to authenticate/i] },
  { type: "setup", subtype: "theme_picker", words: [/Select Theme/i] },
  { type: "permission", subtype: "tool", words: [/Allow execution|Apply this change|Do you want to proceed|Allow /i] },
];
