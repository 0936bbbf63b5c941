import type { AgentView } from "../host/terminal-api.ts";
import { readMenu } from "./menu.ts";

/** What is to be done about a dialog that nobody is there to answer. */
export type Dismissal =
  | { do: "press"; keys: readonly string[]; dialog: string }
  /** Nobody but a person can go on here. */
  | { do: "person"; dialog: string }
  | { do: "nothing" };

interface Dialog {
  name: string;
  /** All of these are on the screen. */
  shows: readonly RegExp[];
  /** The option that is wanted. */
  wants?: RegExp;
  /** For dialogs that ask for a key and offer no choice. */
  key?: string;
}

/**
 * Known dialogs. The wanted option is found by its words: their order, and which one has the cursor, differ between versions,
 * so Enter alone might as well mean "exit".
 */
const DIALOGS: readonly Dialog[] = [
  { name: "trust", shows: [/Accessing workspace:|trust the files|Is this a project you/i], wants: /^yes\b/i },
  { name: "API key", shows: [/Detected a custom API key/i], wants: /^yes\b/i },
  {
    name: "bypass permissions",
    shows: [/Bypass Permissions mode/i, /WARNING|accept all responsibility/i],
    wants: /^yes\b/i,
  },
  { name: "theme", shows: [/text style that looks best/i], wants: /^dark mode$/i },
  { name: "MCP server", shows: [/New MCP server found/i], wants: /^continue without/i },
  { name: "settings error", shows: [/settings (error|files? with errors)/i], wants: /^continue without/i },
  {
    name: "terminal setup",
    shows: [/terminal setup|Shift\+Enter/i, /Yes, use recommended|Not now|No, maybe later/i],
    wants: /not now|maybe later/i,
  },
  { name: "security notes", shows: [/Security notes/i, /Press Enter to continue/i], key: "Enter" },
  { name: "login done", shows: [/Login successful/i, /Press Enter to continue/i], key: "Enter" },
  { name: "resume picker", shows: [/Resume session/i, /Esc to cancel/i], key: "Escape" },
];

const FOR_A_PERSON: readonly { name: string; shows: RegExp }[] = [
  { name: "login", shows: /Select login method|Paste code here|Browser didn't open/i },
];

/** Pure. One move at a time: towards the wanted option first, and Enter only when the cursor is seen on it. */
export function dismiss(view: Pick<AgentView, "state">, screen: string): Dismissal {
  if (view.state === "idle" || view.state === "working" || view.state === "exited") return { do: "nothing" };
  for (const { name, shows, wants, key } of DIALOGS) {
    if (!shows.every((pattern) => pattern.test(screen))) continue;
    if (key !== undefined) return { do: "press", keys: [key], dialog: name };
    const menu = readMenu(screen);
    const wanted = menu?.options.findIndex((option) => wants?.test(option)) ?? -1;
    if (menu === undefined || wanted === -1) continue;
    return { do: "press", keys: towards(menu.at, wanted), dialog: name };
  }
  const person = FOR_A_PERSON.find(({ shows }) => shows.test(screen));
  return person === undefined ? { do: "nothing" } : { do: "person", dialog: person.name };
}

function towards(from: number, to: number): string[] {
  if (from === to) return ["Enter"];
  return Array.from({ length: Math.abs(to - from) }, () => (to > from ? "Down" : "Up"));
}
