import type { Observation } from "../drivers/driver.ts";
import { promptOf } from "../state/agent-state.ts";
import { readDialog } from "./dialog.ts";
import { findMenu, type Menu, promptFrom, questionOf } from "./menus.ts";

/** What the screen of Codex says, which has not changed for `quietMs`. Below its menus there is no input line. */
export function readCodexScreen(lines: readonly string[], quietMs: number): Observation | undefined {
  const dialog = readDialog(lines);
  if (dialog !== undefined && dialog.hints.length <= HINT_LINES) {
    const text = [...dialog.text, ...dialog.options].join("\n");
    const menu = findMenu(MENUS, text);
    if (menu !== undefined) {
      const input = menu.type === "permission" && menu.subtype === undefined ? commandIn(dialog.text) : null;
      return { state: "prompt", cause: `screen:${menu.type}`, prompt: promptFrom(menu, dialog, { input }) };
    }
    const questions = [{ question: questionOf(dialog), options: dialog.options }];
    const prompt = promptOf("question", { options: dialog.options, questions, ready: true });
    return { state: "prompt", cause: "screen:question", prompt };
  }
  const text = lines.join("\n");
  if (/Press enter to continue|Paste or type your API key/i.test(text)) {
    return { state: "prompt", cause: "screen:setup", prompt: promptOf("setup", { ready: true }) };
  }
  if (/\besc to interrupt\b/i.test(text)) return { state: "working", cause: "screen:working" };
  const input = lines.findLastIndex((line) => /^›(\s|$)/u.test(line));
  if (input === -1) return undefined;
  const isAnswering = quietMs < QUIET_MS && isUnfinished(lines.slice(0, input));
  return isAnswering ? { state: "working", cause: "screen:answering" } : { state: "idle", cause: "screen:idle" };
}

/** While it writes its answer, only the missing line at its end tells that there is more to come. */
function isUnfinished(conversation: readonly string[]): boolean {
  const asked = conversation.findLastIndex((line) => /^› \S/u.test(line));
  if (asked === -1 && conversation.some((line) => line.includes(">_ OpenAI Codex"))) return false;
  const answer = conversation.slice(asked + 1).filter((line) => line.trim() !== "");
  return !answer.some((line) => /^\s*Worked for |^■|interrupted/iu.test(line)) && (asked !== -1 || answer.length > 0);
}

/** Longer than a model pauses between two words. */
const QUIET_MS = 3000;

/** `$ touch a.txt`, or the whole of what it wants. */
function commandIn(text: readonly string[]): string | null {
  const at = text.findIndex((line) => /^\s*\$ /.test(line));
  return at === -1
    ? null
    : text
        .slice(at)
        .map((line) => line.trim())
        .join("\n")
        .replace(/^\$ /, "");
}

const HINT_LINES = 4;

const MENUS: readonly Menu[] = [
  { type: "setup", subtype: "model_upgrade", words: [/existing model|new model/i] },
  { type: "setup", subtype: "update", words: [/update (now|available)/i] },
  { type: "setup", subtype: "login_method", words: [/Sign in with/i] },
  { type: "permission", subtype: "trust", words: [/trust|allow Codex to work in this folder/i, /Yes, |No, /] },
  { type: "permission", words: [/Would you like to|Allow|approve/i] },
];
