import { describe, expect, test } from "vitest";
import { dismiss } from "./dismissal.ts";
import { readMenu } from "./menu.ts";

const screens = {
  trustNew: `
 Accessing workspace:

 /home/dev/cli/srv/tui2

 Quick safety check: Is this a project you created or one you trust?

 Security guide

 ❯ No, exit
   Yes, I trust this folder

 Enter to confirm · Esc to cancel`,
  trustOld: `
 Do you trust the files in this folder?

 ❯ 1. Yes, I trust this folder
   2. No, exit

 Enter to confirm · Esc to exit`,
  key: `
  Detected a custom API key in your environment

  ANTHROPIC_API_KEY: sk-ant-...00000000000000000000

  Do you want to use this API key?

    Yes
  ❯ No (recommended)

  Enter to confirm · Esc to cancel`,
  bypass: `
  WARNING: Claude Code running in Bypass Permissions mode

  By proceeding, you accept all responsibility for actions taken while running in Bypass Permissions mode.

  https://code.claude.com/docs/en/security

  ❯ No, exit
    Yes, I accept

  Enter to confirm · Esc to cancel`,
  bypassReady: `
  WARNING: Claude Code running in Bypass Permissions mode

    No, exit
  ❯ Yes, I accept

  Enter to confirm · Esc to cancel`,
  theme: `
 Choose the text style that looks best with your terminal
 To change this later, run /theme

     Auto (match terminal)
 ❯ ✔ Dark mode
     Light mode
     Dark mode (colorblind-friendly)

  1  function greet() {`,
  security: `
 Security notes:

 1. Claude can make mistakes.

 Press Enter to continue…`,
  resume: `
  Resume session
  ╭─────────╮
  │ ⌕ Search…
  ╰─────────╯
    tui3

  ❯ @slow
    22 seconds ago · HEAD · 169.8KB

    Type to search · Esc to cancel`,
  permission: `
 Bash command
 touch tui.txt
 Do you want to proceed?
 ❯ 1. Yes
   2. Yes, and always allow access to /home/dev/cli/srv/tui3 from this project
   3. No

 Esc to cancel · Tab to amend`,
  login: `
 Select login method:

 ❯ 1. Claude account with subscription
   2. Anthropic Console account`,
  idle: `
❯ hello there

● Hello

───────────────
❯ 
───────────────`,
};

describe("a menu", () => {
  test.each<[keyof typeof screens, readonly string[], number]>([
    ["trustNew", ["No, exit", "Yes, I trust this folder"], 0],
    ["trustOld", ["Yes, I trust this folder", "No, exit"], 0],
    ["key", ["Yes", "No (recommended)"], 1],
    ["theme", ["Auto (match terminal)", "Dark mode", "Light mode", "Dark mode (colorblind-friendly)"], 1],
  ])("%s", (name, options, at) => {
    expect(readMenu(screens[name])).toEqual({ options, at });
  });

  test("two cursors, or none, are no menu", () => {
    expect(readMenu(screens.idle)).toBeUndefined();
    expect(readMenu(screens.security)).toBeUndefined();
  });
});

describe("a dialog at the start", () => {
  test.each<[keyof typeof screens, readonly string[]]>([
    ["trustNew", ["Down"]], // Enter would have ended it
    ["trustOld", ["Enter"]],
    ["key", ["Up"]],
    ["bypass", ["Down"]],
    ["bypassReady", ["Enter"]],
    ["theme", ["Enter"]],
    ["security", ["Enter"]],
    ["resume", ["Escape"]],
  ])("%s: %j", (name, keys) => {
    expect(dismiss({ state: "prompt" }, screens[name])).toMatchObject({ do: "press", keys });
  });

  test("a login is a person's affair", () => {
    expect(dismiss({ state: "prompt" }, screens.login)).toEqual({ do: "person", dialog: "login" });
  });

  test("what isn't known is left alone, above all a request for permission", () => {
    expect(dismiss({ state: "prompt" }, screens.permission)).toEqual({ do: "nothing" });
    expect(dismiss({ state: "starting" }, screens.idle)).toEqual({ do: "nothing" });
    expect(dismiss({ state: "starting" }, "")).toEqual({ do: "nothing" });
  });

  test.each(["idle", "working", "exited"])("an agent that is %s is not touched", (state) => {
    expect(dismiss({ state }, screens.trustOld)).toEqual({ do: "nothing" });
  });

  test("a known dialog whose wanted option is missing is left alone", () => {
    expect(dismiss({ state: "prompt" }, screens.trustNew.replace("Yes, I trust this folder", "Maybe"))).toEqual({
      do: "nothing",
    });
  });
});
