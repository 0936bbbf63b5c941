import { describe, expect, test } from "vitest";
import { genericDriver } from "../drivers/generic.ts";
import { readClaudeScreen } from "./claude-screen.ts";
import { readCodexScreen } from "./codex-screen.ts";
import { readDialog } from "./dialog.ts";
import { readGeminiScreen } from "./gemini-screen.ts";
import { categoryOf } from "./trouble.ts";

const RULE = "─".repeat(110);
const screen = (text: string) => text.replaceAll("RULE", RULE).split("\n");

/** As they were seen: Claude Code 2.1.325 and 2.1.197, Codex 0.166, Gemini CLI 0.61. */
const claude = {
  idle: `
 ▐▛███▛█   Claude Code v2.1.325
▝▜██████▀  Opus 5.5 · API Usage Billing

❯ hello

● Hello. 1. one 2. two

✻ Crunched for 0s · done 9:02 AM

                                                                                          ◐ medium · /effort
RULE
❯
RULE
  ⏸ manual mode on · ? for shortcuts · ← for agents`,
  typing: `
RULE
❯ half a sentence
RULE
  ⏸ manual mode on`,
  working: `
❯ hello

· Forming… (0s · ↓ 2 tokens)
                                                                                          ◐ medium · /effort
RULE
❯
RULE
  ⏸ manual mode on · esc to interrupt · ← for agents`,
  permission: `
❯ @bash touch a.txt

● Fake command
  ⎿  $ touch a.txt

RULE
 Bash command
 Tip: auto mode handles these prompts for you — choose "switch to auto mode" below
 fake command
╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
 touch a.txt
╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
 Do you want to proceed?
 ❯ 1. Yes
   2. Yes, and always allow access to /tmp/th from this project
   3. Yes, and switch to auto mode · auto mode handles these prompts for you
   4. No

 Esc to cancel · Tab to amend`,
  question: `
RULE
←  ☐ Colour  ☐ Size  ✔ Submit  →

Which colour?

❯ 1. red
     warm
  2. blue
     cold
  3. Type something.
RULE
  4. Chat about this

Enter to select · Tab/Arrow keys to navigate · Esc to cancel`,
  plan: `
  RULE
   Exit plan mode?

    Claude wants to exit plan mode

    ❯ 1. Yes, and switch to default (ask each time) for this session
      2. No`,
  trustNew: `
RULE
 Accessing workspace:

 /home/dev/cli/srv/tui2

 Quick safety check: Is this a project you created or one you trust?

 ❯ No, exit
   Yes, I trust this folder

 Enter to confirm · Esc to cancel`,
  trustOld: `
 Quick safety check: Is this a project you created or one you trust?

 ❯ 1. Yes, I trust this folder
   2. No, exit

 Enter to confirm · Esc to cancel`,
  key: `
RULE
  Detected a custom API key in your environment

  Do you want to use this API key?

    Yes
  ❯ No (recommended)

  Enter to confirm · Esc to cancel`,
  bypass: `
RULE
  WARNING: Claude Code running in Bypass Permissions mode

  ❯ No, exit
    Yes, I accept

  Enter to confirm · Esc to cancel`,
  theme: `
 Choose the text style that looks best with your terminal

     Auto (match terminal)
 ❯ ✔ Dark mode
     Light mode
 ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
  Enter to confirm`,
  notes: `
 Security notes:

 1. Claude can make mistakes.
 2. Due to prompt injection risks, only use it with code you trust

 Press Enter to continue…`,
  login: `
 Browser didn't open? Use the url below to sign in:

 https://claude.ai/oauth/authorize?code=true&client_id=9d1c250a&scope=org%3Acreate_api
 _key+user%3Aprofile&state=abc

 Paste code here if prompted >`,
  failed: `
❯ hi
  ⎿  API Error: 429 {"type":"error","error":{"type":"rate_limit_error"}}

RULE
❯
RULE
  ⏸ manual mode on`,
};

describe("claude", () => {
  test.each([
    ["idle", { state: "idle" }],
    ["typing", { state: "idle" }],
    ["working", { state: "working" }],
    ["failed", { state: "error", trouble: { category: "rate_limited" } }],
    [
      "permission",
      { state: "prompt", prompt: { type: "permission", input: "fake command\ntouch a.txt", ready: true } },
    ],
    ["question", { state: "prompt", prompt: { type: "question", questions: [{ question: "Which colour?" }] } }],
    ["plan", { state: "prompt", prompt: { type: "plan" } }],
    [
      "trustNew",
      {
        state: "prompt",
        prompt: { type: "permission", subtype: "trust", options: ["No, exit", "Yes, I trust this folder"] },
      },
    ],
    [
      "trustOld",
      {
        state: "prompt",
        prompt: { type: "permission", subtype: "trust", options: ["Yes, I trust this folder", "No, exit"] },
      },
    ],
    ["key", { state: "prompt", prompt: { type: "setup", subtype: "api_key", options: ["Yes", "No (recommended)"] } }],
    ["bypass", { state: "prompt", prompt: { type: "setup", subtype: "bypass_permissions" } }],
    ["theme", { state: "prompt", prompt: { type: "setup", subtype: "theme_picker" } }],
    ["notes", { state: "prompt", prompt: { type: "setup", subtype: "security_notes", options: [] } }],
    [
      "login",
      {
        prompt: {
          subtype: "oauth_login",
          input:
            "https://claude.ai/oauth/authorize?code=true&client_id=9d1c250a&scope=org%3Acreate_api_key+user%3Aprofile&state=abc",
        },
      },
    ],
  ] as const)("%s", (name, expected) => {
    expect(readClaudeScreen(screen(claude[name]))).toMatchObject(expected);
  });

  test("an empty screen says nothing", () => {
    expect(readClaudeScreen(["", "", ""])).toBeUndefined();
  });
});

const codex = {
  idle: "  >_ OpenAI Codex (v0.166.0)\n\n› Ask Codex to do anything\n\n  GPT-5.5 default · /tmp/th\n  ← for agents · ? for shortcuts",
  working: "› hello\n\n• Working (1s • esc to interrupt)\n\n› Ask Codex to do anything\n",
  answering: "› @slow\n\n• tick 0 tick 1\n\n› Ask Codex to do anything\n\n  GPT-5.5 default",
  done: "› hello\n\n• Hello.\n\n  Worked for <1s • 09:14\n\n› Ask Codex to do anything\n\n  GPT-5.5 default",
  permission: `• Running touch a.txt

  Would you like to run the following command?

  Environment: local
  Reason: because
  $ touch a.txt

› 1. Yes, proceed (y)
  2. Yes, and don't ask again for commands that start with \`touch a.txt\` (p)
  3. No, and tell Codex what to do differently (esc)

  Press enter to confirm or esc to cancel`,
  model: "  Meet GPT-6 Sol\n\n› 1. Try new model\n  2. Use existing model\n\n  enter/esc confirm · ^c quit",
};

describe("codex", () => {
  test.each([
    ["idle", 0, { state: "idle" }],
    ["working", 0, { state: "working" }],
    ["answering", 0, { state: "working" }],
    ["answering", 5000, { state: "idle" }],
    ["done", 0, { state: "idle" }],
    ["permission", 0, { state: "prompt", prompt: { type: "permission", input: "touch a.txt" } }],
    ["model", 0, { state: "prompt", prompt: { type: "setup", subtype: "model_upgrade" } }],
  ] as const)("%s, unchanged for %i ms", (name, quiet, expected) => {
    expect(readCodexScreen(screen(codex[name]), quiet)).toMatchObject(expected);
  });
});

const gemini = {
  idle: `
✦ Hello.
                                                                                              ? for shortcuts
RULE
 Shift+Tab to accept edits

 >   Type your message or @path/to/file

 workspace (/directory)                                   sandbox`,
  working: `
✦ tick 0
 ⠏ Thinking... (esc to cancel, 2s)                                                            ? for shortcuts
RULE
 >   Type your message or @path/to/file`,
  permission: `
╭──────────────────────────────────────────────────────────────╮
│ ? Shell  touch a.txt                                         │
│ ╭──────────────────────────────────────────────────────────╮ │
│ │ touch a.txt                                              │ │
│ ╰──────────────────────────────────────────────────────────╯ │
│ Allow execution of [Shell]?                                  │
│                                                              │
│ ● 1. Allow once                                              │
│   2. Allow for this session                                  │
│   3. No, suggest changes (esc)                               │
╰──────────────────────────────────────────────────────────────╯`,
  trust: `
1. Create GEMINI.md files to customize your interactions
2. /help for more information
 ╭─────────────────────────────────────────╮
 │ Do you trust the files in this folder?  │
 │                                         │
 │ ● 1. Trust folder (ws)                  │
 │   2. Trust parent folder (th)           │
 │   3. Don't trust                        │
 ╰─────────────────────────────────────────╯`,
};

describe("gemini", () => {
  test.each([
    ["idle", { state: "idle" }],
    ["working", { state: "working" }],
    ["permission", { state: "prompt", prompt: { type: "permission", subtype: "tool", tool: "Shell" } }],
    [
      "trust",
      {
        state: "prompt",
        prompt: {
          type: "permission",
          subtype: "trust",
          options: ["Trust folder (ws)", "Trust parent folder (th)", "Don't trust"],
        },
      },
    ],
  ] as const)("%s", (name, expected) => {
    expect(readGeminiScreen(screen(gemini[name]))).toMatchObject(expected);
  });
});

describe("any program, by patterns", () => {
  const { readScreen } = genericDriver({
    prompt_pattern: "^> ?$",
    working_patterns: ["^\\.\\.\\."],
    error_patterns: ["^fatal"],
    permission_patterns: ["\\[y/n\\]"],
  });
  const read = (text: string) => readScreen?.(screen(text), 0)?.state;
  test.each([
    ["> ", "idle"],
    ["old fatal error\n> ", "idle"],
    ["> \n  a footer", "idle"],
    ["> \n... busy", "working"],
    ["> do it\n...", "working"],
    ["something", "working"],
    ["fatal: no network", "error"],
    ["> rm\nreally? [y/n] ", "prompt"],
    ["really? [y/n] y\n> ", "idle"],
    ["", undefined],
  ])("%j is %s", (text, state) => {
    expect(read(text)).toBe(state);
  });

  test("without any it only prints or not", () => {
    expect(genericDriver()).toMatchObject({ takesPrompts: false, byOutput: true });
    expect(genericDriver().readScreen).toBeUndefined();
  });

  test("a pattern that is none is named", () => {
    expect(() => genericDriver({ prompt_pattern: "(" })).toThrow('pattern "("');
  });
});

describe("a dialog", () => {
  test("the last of several, with what it marks", () => {
    expect(readDialog(screen(" 1. old\n ❯ 2. one\n\n 1. a\n❯ 2. b\n  3. c"))).toMatchObject({
      options: ["a", "b", "c"],
      selected: 1,
    });
  });

  test("a list that an agent printed is none", () => {
    expect(readDialog(screen("1. first do this\n2. then that"))).toBeUndefined();
    expect(readDialog(screen("❯ hello\n\n● fine"))).toBeUndefined();
  });

  test("a label that was broken is whole, an explanation is not part of it", () => {
    const long = `❯ 1. ${"Yes, and do all of it at once, ".repeat(3)}please`;
    const { options } =
      readDialog(screen(`${"x".repeat(100)}\n${long}\n     and thank you\n  2. No\n     never`)) ?? {};
    expect(options).toEqual([`${"Yes, and do all of it at once, ".repeat(3)}please and thank you`, "No"]);
  });
});

test.each([
  ["authentication_error: bad key", "unauthorized"],
  ["Your credit balance is too low", "out_of_credits"],
  ["429 Too Many Requests", "rate_limited"],
  ["connect ECONNREFUSED", "no_internet"],
  ["Overloaded", "server_error"],
  ["what?", "other"],
  ["invalid api key (429)", "unauthorized"],
])("%s is %s", (text, category) => {
  expect(categoryOf(text)).toBe(category);
});
