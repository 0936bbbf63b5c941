import { readGeminiScreen } from "../detect/gemini-screen.ts";
import { optionSaying } from "../detect/menus.ts";
import type { Driver } from "./driver.ts";

export const gemini: Driver = {
  agent: "gemini",
  takesPrompts: true,
  byOutput: false,
  retriesEnter: true,
  startsAgainAfter: 199,
  readScreen: readGeminiScreen,
  passes: (subtype, options) => (subtype === "trust" ? optionSaying(options, /^trust folder/i) : undefined),
};
