import { readCodexScreen } from "../detect/codex-screen.ts";
import { optionSaying } from "../detect/menus.ts";
import type { Driver } from "./driver.ts";

export const codex: Driver = {
  agent: "codex",
  takesPrompts: true,
  byOutput: false,
  retriesEnter: true,
  readScreen: readCodexScreen,
  passes(subtype, options) {
    switch (subtype) {
      case "model_upgrade":
        return optionSaying(options, /existing|keep/i);
      case "update":
        return optionSaying(options, /skip|later|not now/i);
      case "trust":
        return optionSaying(options, /^yes/i);
      default:
        return undefined;
    }
  },
};
