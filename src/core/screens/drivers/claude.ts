import { readClaudeScreen } from "../detect/claude-screen.ts";
import { optionSaying } from "../detect/menus.ts";
import { readClaudeHook } from "./claude-hooks.ts";
import type { Driver } from "./driver.ts";

export const claude: Driver = {
  agent: "claude",
  takesPrompts: true,
  byOutput: false,
  retriesEnter: true,
  readScreen: readClaudeScreen,
  readHook: readClaudeHook,
  passes(subtype, options) {
    switch (subtype) {
      case "security_notes":
      case "login_success":
      case "theme_picker":
        return "enter";
      case "terminal_setup":
        return optionSaying(options, /later|^no\b/i);
      case "settings_error":
        return optionSaying(options, /^continue without/i);
      case "trust":
        return optionSaying(options, /^yes/i);
      default:
        return undefined;
    }
  },
};
