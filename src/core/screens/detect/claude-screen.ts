import type { Observation } from "../drivers/driver.ts";
import { type Prompt, promptOf } from "../state/agent-state.ts";
import { type Dialog, readDialog } from "./dialog.ts";
import { findMenu, type Menu, promptFrom, questionOf } from "./menus.ts";
import { troubleOf } from "./trouble.ts";

/** What the screen of Claude Code says. Its input line is there while it works, too: then a line says how to interrupt it. */
export function readClaudeScreen(lines: readonly string[]): Observation | undefined {
  const text = lines.join("\n");
  const box = inputBox(lines);
  if (box === undefined) {
    const dialog = readDialog(lines);
    const menu = findMenu(MENUS, text);
    if (menu !== undefined)
      return asks(
        menu.type === "setup" ? "screen:setup" : `screen:${menu.subtype ?? menu.type}`,
        promptFrom(menu, dialog, urlIn(menu, lines)),
      );
    return dialog === undefined ? undefined : readOwnDialog(dialog);
  }
  const above = lines.slice(0, box);
  if (/\besc to interrupt\b/i.test(text)) return { state: "working", cause: "screen:working" };
  const failed = failure(above);
  if (failed !== undefined) return { state: "error", cause: "screen:error", trouble: troubleOf(failed) };
  return { state: "idle", cause: "screen:idle" };
}

const asks = (cause: string, prompt: Prompt): Observation => ({ state: "prompt", cause, prompt });

/** Where the input line is: between two rules. Not a line of a menu, and not what was said before. */
function inputBox(lines: readonly string[]): number | undefined {
  for (let at = lines.length - 1; at > 0; at -= 1) {
    if (!/^\s*[❯>!#](\s|$)/u.test(lines[at] ?? "") || !isRule(lines[at - 1])) continue;
    if (lines.slice(at + 1).some(isRule)) return at - 1;
  }
  return undefined;
}

const isRule = (line: string | undefined) => /^[─━╭╰▔][─━▔]{9,}/u.test(line ?? "");

/** While a conversation goes on: leave for a tool, a plan, or a question. */
function readOwnDialog(dialog: Dialog): Observation | undefined {
  const text = dialog.text.join("\n");
  const question = questionOf(dialog);
  if (/plan mode|would you like to proceed\?|ready to code/i.test(text)) {
    return asks("screen:plan", promptOf("plan", { options: dialog.options, ready: true }));
  }
  const isForm = /☐|☒|✔ Submit/u.test(text) || /to navigate/i.test(dialog.hints.join("\n"));
  if (isForm && !/do you want/i.test(question)) {
    const questions = [{ question, options: dialog.options }];
    return asks("screen:question", promptOf("question", { options: dialog.options, questions, ready: true }));
  }
  return asks(
    "screen:permission",
    promptOf("permission", { input: whatFor(dialog), options: dialog.options, ready: true }),
  );
}

/** What stands between the title and the question, in one piece. */
function whatFor({ text }: Dialog): string | null {
  const body = text.slice(1, -1).map((line) => line.trim());
  const said = body.filter((line) => line !== "" && !/^[╌┄-]{4,}/u.test(line) && !line.startsWith("Tip:"));
  return said.length === 0 ? null : said.join("\n");
}

/** The last thing that was said is that the model could not be reached. */
function failure(lines: readonly string[]): string | undefined {
  const last = lines.findLastIndex((line) => /^[●⏺❯]|^\s+⎿/u.test(line));
  const line = lines[last]?.trim() ?? "";
  if (!/API Error|Invalid API key|Not logged in|Credit balance|usage limit|rate limit/i.test(line)) return undefined;
  return line.replace(/^[●⏺⎿\s]+/u, "");
}

/** The address to sign in at, put together again where the screen broke it. */
function urlIn({ subtype }: Menu, lines: readonly string[]): Partial<Prompt> {
  if (subtype !== "oauth_login") return {};
  const from = lines.findIndex((line) => /https:\/\//.test(line));
  if (from === -1) return {};
  const rest = lines.slice(from);
  const to = rest.findIndex((line, at) => at > 0 && !/^\s*\S+$/.test(line));
  const joined = rest
    .slice(0, to === -1 ? undefined : to)
    .map((line) => line.trim())
    .join("");
  return { input: /https:\/\/\S+/.exec(joined)?.[0] ?? null };
}

/** Screens before there is a conversation. */
const MENUS: readonly Menu[] = [
  { type: "setup", subtype: "security_notes", words: [/Security notes/i, /Press Enter to continue/i] },
  { type: "setup", subtype: "login_success", words: [/Login successful|Logged in as/i, /Press Enter to continue/i] },
  { type: "setup", subtype: "oauth_login", words: [/Paste code here|Browser didn.t open/i, /https:\/\//] },
  { type: "setup", subtype: "login_method", words: [/Select login method/i] },
  { type: "setup", subtype: "terminal_setup", words: [/terminal setup/i, /recommended settings|Shift\+Enter/i] },
  { type: "setup", subtype: "theme_picker", words: [/text style that looks best/i] },
  { type: "setup", subtype: "settings_error", words: [/Settings (Error|file)/i, /Continue without|Exit and fix/i] },
  { type: "setup", subtype: "bypass_permissions", words: [/Bypass Permissions mode/i, /No, exit/i] },
  { type: "setup", subtype: "api_key", words: [/Detected a custom API key/i] },
  { type: "setup", subtype: "mcp_server", words: [/New MCP server/i] },
  { type: "setup", subtype: "resume_picker", words: [/Resume session/i, /to search|to preview/i] },
  { type: "permission", subtype: "trust", words: [/trust this folder|trust the files/i, /No, exit|safety check/i] },
];
